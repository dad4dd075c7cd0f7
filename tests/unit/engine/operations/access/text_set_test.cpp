#include "engine/operations/access/text_set.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

TEST_CASE("text set: each text once, in the order in which they came", "[engine]") {
  stator::TextSet set;
  CHECK(set.empty());
  std::vector<std::string> expected;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 50; ++i) {
      set.add("text " + std::to_string(i));
      set.add("text " + std::to_string(i / 2));
      if (round == 0) expected.push_back("text " + std::to_string(i));
    }
  }
  CHECK(set.texts() == expected);
}
