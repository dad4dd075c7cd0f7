// Help to read the members of a rule.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/json/json_tree.h"
#include "server/options/argument_errors.h"
#include "server/options/duration.h"

namespace stator::faults {

// Thrown by readers and caught in rule_reader.cpp; never leaves the folder.
struct WrongRule {
  std::string text;  // one line
};

[[noreturn]] inline void refuse(std::string text) { throw WrongRule{std::move(text)}; }

inline std::string in_quotes(std::string_view text) {
  return "'" + std::string(text.substr(0, 64)) + "'";
}

// Refuses members that are in neither list; those of `not_built` with words of their own.
inline void check_members(std::string_view what, const JsonNode& json,
                          std::initializer_list<std::string_view> known,
                          std::initializer_list<std::string_view> not_built = {}) {
  if (json.kind() != JsonNode::Kind::Object) refuse(std::string(what) + " is to be an object");
  std::vector<std::string_view> seen;
  for (const JsonMember& member : json.members()) {
    if (std::find(seen.begin(), seen.end(), member.name) != seen.end())
      refuse(std::string(what) + " has two members " + in_quotes(member.name));
    seen.push_back(member.name);
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    if (std::find(not_built.begin(), not_built.end(), member.name) != not_built.end())
      refuse(std::string(what) + ": this version of Stator has no " + in_quotes(member.name) +
             " yet");
    refuse(std::string(what) + " has no member " + in_quotes(member.name) +
           did_you_mean(member.name, {known.begin(), known.end()}));
  }
}

inline std::string_view text_of(std::string_view what, const JsonNode& json) {
  if (json.kind() != JsonNode::Kind::String) refuse(std::string(what) + " is to be a string");
  return json.text();
}

inline bool truth_of(std::string_view what, const JsonNode& json) {
  if (json.kind() == JsonNode::Kind::True) return true;
  if (json.kind() != JsonNode::Kind::False) refuse(std::string(what) + " is to be true or false");
  return false;
}

inline std::uint64_t count_of(std::string_view what, const JsonNode& json, std::uint64_t min,
                              std::uint64_t max = 1'000'000'000'000) {
  std::uint64_t number = 0;
  const std::string_view text =
      json.kind() == JsonNode::Kind::Integer ? json.text() : std::string_view();
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < min ||
      number > max)
    refuse(std::string(what) + " is to be a whole number from " + std::to_string(min) + " to " +
           std::to_string(max));
  return number;
}

inline double share_of(std::string_view what, const JsonNode& json) {
  double share = -1;
  const bool is_number =
      json.kind() == JsonNode::Kind::Integer || json.kind() == JsonNode::Kind::Decimal;
  const std::string_view text = is_number ? json.text() : std::string_view();
  const auto read = std::from_chars(text.data(), text.data() + text.size(), share);
  if (read.ec != std::errc{} || !(share >= 0 && share <= 1))
    refuse(std::string(what) + " is to be a number from 0 to 1");
  return share;
}

inline std::chrono::microseconds duration_of(std::string_view what, const JsonNode& json) {
  const auto duration = parse_duration(text_of(what, json));
  if (!duration) refuse(std::string(what) + ": " + duration.error());
  return *duration;
}

// The value with this text.
template <class T, std::size_t N>
T word_of(std::string_view what, const JsonNode& json,
          const std::pair<std::string_view, T> (&words)[N]) {
  const std::string_view text = text_of(what, json);
  std::string list;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  refuse(std::string(what) + " is to be one of " + list);
}

}  // namespace stator::faults
