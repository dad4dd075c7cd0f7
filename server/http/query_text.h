// Parameters of a target: the text after its question mark.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace stator {

// Undoes percent-encoding. A sign that begins none stays as it is.
std::string percent_decoded(std::string_view text);

// Everything but letters, digits, -._~ and the characters of `plain` becomes %XX.
std::string percent_encoded(std::string_view text, std::string_view plain = {});

// Undoes the encoding of forms: percent-encoding, and + for a blank.
std::string form_decoded(std::string_view text);

// Calls `visit` with the name and value of each parameter in "a=1&b", as sent, until it returns
// false.
void for_each_parameter(
    std::string_view query,
    const std::function<bool(std::string_view name, std::string_view value)>& visit);

// The largest list that a verb returns, and the default of its parameter `limit`.
inline constexpr std::size_t kListLimitMax = 1'000;
inline constexpr std::string_view kListLimitText = "limit is a number from 1 to 1000";
// Reads such a parameter. Returns false if it is not what kListLimitText says.
bool read_list_limit(std::string_view text, std::size_t& limit);

}  // namespace stator
