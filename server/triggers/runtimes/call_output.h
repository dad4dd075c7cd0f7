// What a function has written during a call: the last part of it, in Base64 as the value of a
// header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator::triggers {

inline constexpr std::size_t kOutputBytesMax = 4096;

// The last kOutputBytesMax of the output.
std::string pack_output(std::string_view output);
// Empty if the text is none, or too long.
std::string unpack_output(std::string_view packed);

}  // namespace stator::triggers
