// What the cases of tests/cases/protocol can ask: one function for each kind of case.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace stator::test {

// The directives in force, by name: "item", "names", "values", …
using CaseFields = std::map<std::string, std::string, std::less<>>;

struct CaseKind {
  std::string_view name;
  // What `@in` may name, separated by commas: wordings and the like. One that is empty: no choice.
  std::string_view variants;
  std::string_view fields;  // the directives that it reads, separated by commas
  bool is_relaxed;          // what comes out is relaxed JSON, if it is JSON
  // What comes out, or the message of the refusal.
  std::string (*run)(std::string input, std::string_view variant, const CaseFields& fields);
};

std::span<const CaseKind> expression_case_kinds();
std::span<const CaseKind> value_case_kinds();
std::span<const CaseKind> statement_case_kinds();

}  // namespace stator::test
