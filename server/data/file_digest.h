// Sums of files and texts, as manifests of exports have them.
#pragma once

#include <string>
#include <string_view>

namespace stator::data {

// MD5 in Base64. Empty when the file cannot be read.
std::string md5_of_file(const std::string& path);
std::string md5_of_text(std::string_view text);

}  // namespace stator::data
