#include "server/data/s3/s3_answers.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace stator::data {
namespace {

using Element = std::pair<std::string, std::string>;

// Empty if the text is refused.
std::vector<Element> elements_of(std::string_view text) {
  std::vector<Element> elements;
  const bool is_read = read_xml(text, [&](std::string_view path, std::string value) {
    elements.emplace_back(path, std::move(value));
  });
  if (!is_read) elements.clear();
  return elements;
}

std::string nested(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += "<a>";
  for (int i = 0; i < levels; ++i) text += "</a>";
  return text;
}

}  // namespace

TEST_CASE("XML of S3: elements without others, by their path", "[server]") {
  CHECK(elements_of("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r xmlns=\"u\">\n <a>x &amp; "
                    "&lt;&#228;</a><b/><c><a><![CDATA[<z>]]></a></c></r>") ==
        std::vector<Element>{{"r/a", "x & <ä"}, {"r/b", ""}, {"r/c/a", "<z>"}});
  CHECK(elements_of("<r/>") == std::vector<Element>{{"r", ""}});
}

TEST_CASE("XML of S3: what is no answer is refused", "[server]") {
  for (const std::string& text :
       {std::string(), std::string("plain"), std::string("<html><br></html>"), std::string("<a>"),
        std::string("<a></b>"), std::string("<a>&unknown;</a>"), std::string("<a>\xff</a>"),
        std::string("<a>1</a><b/>"), "<a>" + std::string(20'000, 'x') + "</a>",
        "<" + std::string(20'000, 'x') + "/>", nested(17), nested(1'000'000),
        std::string("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"),
        std::string("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>")}) {
    INFO(text.substr(0, 100));
    CHECK(elements_of(text).empty());
  }
  CHECK(elements_of(nested(16)).size() == 1);
}

TEST_CASE("XML of S3: refusals", "[server]") {
  const auto refusal = read_refusal(
      "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>The specified key\ndoes "
      "not\x7f exist.</Message><Key>k</Key><RequestId>R</RequestId><HostId>H</HostId></Error>",
      404);
  REQUIRE(refusal);
  const StoreFailure failure = s3_failure(*refusal);
  CHECK(failure.code == "S3NoSuchKey");
  CHECK(failure.message ==
        "The specified key does not  exist. (Service: Amazon S3; Status Code: 404; Error Code: "
        "NoSuchKey; Request ID: R; S3 Extended Request ID: H; Proxy: null)");

  CHECK(read_refusal("<Error><Code>SlowDown</Code></Error>", 503)->text == "SlowDown");
  CHECK_FALSE(read_refusal("<Error><Code/></Error>", 400));
  CHECK_FALSE(read_refusal("<Error><Code>a b</Code></Error>", 400));
  CHECK_FALSE(read_refusal("<Fault><Code>NoSuchKey</Code></Fault>", 400));
  CHECK_FALSE(read_refusal("<html>", 502));
}

TEST_CASE("XML of S3: a long text is cut between characters", "[server]") {
  std::string text = "x";
  while (text.size() < 5000) text += "ä";
  const auto refusal =
      read_refusal("<Error><Code>C</Code><Message>" + text + "</Message></Error>", 400);
  REQUIRE(refusal);
  CHECK(refusal->text.size() == 999);
  CHECK(refusal->text == text.substr(0, 999));
}

TEST_CASE("XML of S3: lists of keys", "[server]") {
  const auto page = read_listed_keys(
      "<ListBucketResult><Name>b</Name><IsTruncated>true</IsTruncated><Contents><Key>a+b &amp; "
      "%41</Key><Size>1</Size><Owner><Key>no key</Key></Owner></Contents><Contents><Key>ü</Key>"
      "</Contents><CommonPrefixes><Prefix>p</Prefix></CommonPrefixes>"
      "<NextContinuationToken>t+/=</NextContinuationToken></ListBucketResult>");
  REQUIRE(page);
  CHECK(page->keys == std::vector<std::string>{"a+b & %41", "ü"});
  CHECK(page->next_token == "t+/=");

  const auto encoded = read_listed_keys(
      "<ListBucketResult><Contents><Key>a%2Bb+c%20%25/%C3%BC%01</Key></Contents>"
      "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated></ListBucketResult>");
  REQUIRE(encoded);
  CHECK(encoded->keys == std::vector<std::string>{"a+b c %/ü\x01"});
  CHECK(encoded->next_token.empty());

  CHECK(read_listed_keys("<ListBucketResult/>")->keys.empty());
  // A list that goes on without saying where would look complete.
  CHECK_FALSE(
      read_listed_keys("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"));
  CHECK_FALSE(read_listed_keys("<html/>"));
}

TEST_CASE("XML of S3: uploads", "[server]") {
  CHECK(read_upload_id("<InitiateMultipartUploadResult><Bucket>b</Bucket><UploadId>i&amp;d"
                       "</UploadId></InitiateMultipartUploadResult>") == "i&d");
  CHECK_FALSE(read_upload_id("<InitiateMultipartUploadResult/>"));
  CHECK(read_completed("<CompleteMultipartUploadResult><ETag>&quot;e-2&quot;</ETag>"
                       "</CompleteMultipartUploadResult>") == "e-2");
  CHECK(unquoted("e") == "e");
  CHECK(unquoted("\"") == "\"");
}

}  // namespace stator::data
