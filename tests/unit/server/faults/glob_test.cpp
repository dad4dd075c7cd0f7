#include "server/faults/glob.h"

#include <string>

#include <catch2/catch.hpp>

using stator::faults::glob_fits;

TEST_CASE("fault globs: a star is any text, a question mark one byte", "[server]") {
  struct Row {
    const char* pattern;
    const char* text;
    bool fits;
  };
  for (const Row& row :
       {Row{"", "", true}, Row{"", "a", false}, Row{"*", "", true}, Row{"a", "a", true},
        Row{"a", "A", false}, Row{"a?c", "abc", true}, Row{"a?c", "ac", false},
        Row{"user#*", "user#7", true}, Row{"user#*", "user", false}, Row{"*7", "user#7", true},
        Row{"*a*b*", "xxaxxbxx", true}, Row{"*a*b*", "xxbxxaxx", false}, Row{"a*a", "a", false},
        Row{"**", "any", true}, Row{"a*", "ba", false}}) {
    CAPTURE(row.pattern, row.text);
    CHECK(glob_fits(row.pattern, row.text) == row.fits);
  }
}

TEST_CASE("fault globs: many stars in a long text end", "[server]") {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "a*";
  CHECK_FALSE(glob_fits(pattern + "b", std::string(2000, 'a')));
}
