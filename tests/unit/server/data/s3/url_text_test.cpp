#include "server/data/s3/url_text.h"

#include <string>

#include <catch2/catch.hpp>

namespace stator::data {

TEST_CASE("text in URLs: keys of all kinds", "[server]") {
  CHECK(encode_url_path("AZaz09-._~/b c") == "AZaz09-._~/b%20c");
  CHECK(encode_url_path("a+b&c=d?e#f%41") == "a%2Bb%26c%3Dd%3Fe%23f%2541");
  CHECK(encode_url_path("ü/日\x01'()*!") == "%C3%BC/%E6%97%A5%01%27%28%29%2A%21");
  CHECK(encode_url("a/b") == "a%2Fb");
}

TEST_CASE("text in URLs: each byte returns", "[server]") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(decode_url(encode_url(all)) == all);
  CHECK(decode_url("a+b%2b%2B") == "a b++");
  CHECK(decode_url("%") == "%");
  CHECK(decode_url("%4") == "%4");
  CHECK(decode_url("%zz%41") == "%zzA");
}

}  // namespace stator::data
