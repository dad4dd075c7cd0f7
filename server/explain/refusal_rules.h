// What the texts of errors stand for, as data.
#pragma once

#include <span>
#include <string_view>

namespace stator {

// `text` is a whole message without its introduction; "{}" stands for any text, as short as it can
// be. The others are what is told of it: "$1" is what the first "{}" stands for.
struct RefusalRule {
  std::string_view text;
  std::string_view rule;
  std::string_view attribute = {};  // empty: the member that the introduction names
  std::string_view expected = {};
  std::string_view given = {};
};

// The first one that fits is meant.
std::span<const RefusalRule> refusal_rules();

// What an operator or a function takes; empty: it is not known, or anything.
std::string_view operand_types(std::string_view operator_or_function);
std::string_view operand_count(std::string_view function);

}  // namespace stator
