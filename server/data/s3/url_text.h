// Text in the URLs of S3, encoded as signatures need it.
#pragma once

#include <string>
#include <string_view>

namespace stator::data {

// Everything but letters, digits and -._~ becomes %XX.
std::string encode_url(std::string_view text);

// For a key in a path, where slashes stay.
std::string encode_url_path(std::string_view key);

// The reverse, for answers: + is a blank, and a % that begins no byte stays.
std::string decode_url(std::string_view text);

}  // namespace stator::data
