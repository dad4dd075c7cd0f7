#include "server/cli/client/sort_condition.h"

#include <catch2/catch.hpp>

namespace stator::client {
namespace {

// The expression with its values, or the error.
std::string read_text(std::string_view text) {
  const auto read = read_sort_condition(text);
  if (!read) return read.error();
  return sort_expression(*read, "#s") + " | " + read->value +
         (read->op == SortOperator::Between ? " | " + read->upper : "");
}

}  // namespace

TEST_CASE("sort condition: each operator", "[server]") {
  CHECK(read_text("begins_with 2015") == "begins_with(#s, :s) | 2015");
  CHECK(read_text("> 5") == "#s > :s | 5");
  CHECK(read_text(">= 5") == "#s >= :s | 5");
  CHECK(read_text("< 5") == "#s < :s | 5");
  CHECK(read_text("<= 5") == "#s <= :s | 5");
  CHECK(read_text("= 5") == "#s = :s | 5");
  CHECK(read_text("between a b") == "#s BETWEEN :s AND :t | a | b");
}

TEST_CASE("sort condition: forms that people type", "[server]") {
  CHECK(read_text(">=-5") == "#s >= :s | -5");
  CHECK(read_text("  =  a b  ") == "#s = :s | a b");
  CHECK(read_text("= \"a\"") == "#s = :s | \"a\"");
  CHECK(read_text("BEGINS_WITH New York") == "begins_with(#s, :s) | New York");
  CHECK(read_text("BETWEEN 1 AND 9") == "#s BETWEEN :s AND :t | 1 | 9");
  CHECK(read_text("between 'New York' \"a'b\"") == "#s BETWEEN :s AND :t | New York | a'b");
  CHECK(read_text("between '' b") == "#s BETWEEN :s AND :t |  | b");
}

TEST_CASE("sort condition: errors show the text", "[server]") {
  const std::string end = " is not =, <, <=, >, >= or begins_with and a value, or between A B";
  CHECK(read_text("2015") == "'2015'" + end);
  CHECK(read_text("") == "''" + end);
  CHECK(read_text(">=") == "'>='" + end);
  CHECK(read_text("begins_with") == "'begins_with'" + end);
  CHECK(read_text("contains x") == "'contains x'" + end);
  const std::string between = " is not between A B; a value with spaces stands in quotes";
  CHECK(read_text("between a") == "'between a'" + between);
  CHECK(read_text("between a b c") == "'between a b c'" + between);
  CHECK(read_text("between 'a b") == "'between 'a b'" + between);
}

}  // namespace stator::client
