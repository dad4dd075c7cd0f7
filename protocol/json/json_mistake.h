// What is wrong with a text that is no JSON, for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator {

// At the byte where read_json() gave up: "None is null in JSON", "it ends too early"; empty if that
// byte alone does not tell.
std::string json_mistake(std::string_view text, std::size_t error_at);

// "line 2, column 8", counted from 1, of a byte; "column 8" if there are no line breaks. REQUIRES:
// `text` is as read_json() got it, because that unescapes line breaks in strings.
std::string json_place(std::string_view text, std::size_t at);

// Both, to follow a message: ", column 8: None is null in JSON".
std::string json_mistake_at(std::string_view text, std::size_t error_at);

}  // namespace stator
