// Guesses what a file without items is, for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator::data {

// Bytes at the beginning of a file that are enough to recognise it.
inline constexpr std::size_t kLookBytes = 64;

// For the beginning of a file: "Parquet, which is not read" and the like; empty if items may begin
// so.
std::string foreign_look(std::string_view beginning);

inline constexpr std::string_view kIonLook = "Amazon Ion";

// For text without items: "HTML", kIonLook, "plain text".
std::string_view text_look(std::string_view beginning);

}  // namespace stator::data
