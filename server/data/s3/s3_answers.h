// The XML of S3's answers. Whatever the text is, reading takes memory in proportion to its size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/data/objects/s3_failure.h"

namespace stator::data {

// Visits the elements that have no others, with their names from the root: "Error/Code",
// "NoSuchKey". False: the text is no XML, declares entities, is nested too deeply or has an
// overlong value; some elements may have been visited.
bool read_xml(std::string_view text,
              const std::function<void(std::string_view path, std::string value)>& visit);

// The <Error> in an answer; empty: it has none. Its texts are short, printable and on one line.
std::optional<S3Refusal> read_refusal(std::string_view text, unsigned status);

// Of CreateMultipartUpload.
std::optional<std::string> read_upload_id(std::string_view text);

// A page of ListObjectsV2.
struct ListedKeys {
  std::vector<std::string> keys;
  std::string next_token;  // empty: it is the last page
};
std::optional<ListedKeys> read_listed_keys(std::string_view text);

// The ETag of CompleteMultipartUpload, without its quotes.
std::optional<std::string> read_completed(std::string_view text);

// Without the quotes around it.
std::string unquoted(std::string_view etag);

}  // namespace stator::data
