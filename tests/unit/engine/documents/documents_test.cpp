// Documents: found, visited and changed in one commit, and part of what a rollback restores.
#include "engine/documents/documents.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/control.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {
namespace {

using Changes = std::vector<DocumentChange>;

struct EngineWithDocuments {
  Result<void> change(Changes changes) {
    return change_documents(
        driver.engine(), [&](const Documents&, Timestamp) -> Result<Changes> { return changes; });
  }
  // The keys below a prefix with their values.
  std::string told(std::string_view prefix) {
    std::string text;
    Engine::Reader reader(driver.engine());
    const auto looked = driver.engine().look(reader, [&](const Snapshot& snapshot) {
      return Documents(snapshot).visit(prefix, [&](std::string_view key, std::string_view value) {
        text.append(key).append("=").append(value).append(" ");
        return true;
      });
    });
    CHECK(looked);
    return text;
  }

  EngineDriver driver;
};

TEST_CASE("documents: several changes are one commit", "[documents]") {
  EngineWithDocuments at;
  REQUIRE(at.change({{"a/1", "x"}, {"a/2", "y"}, {"b/1", std::string("z\0", 2)}}));
  CHECK(at.told("a/") == "a/1=x a/2=y ");
  CHECK(at.told("b/") == std::string("b/1=z\0 ", 7));
  CHECK(at.told("c/").empty());
  REQUIRE(at.change({{"a/1", "new"}, {"a/2", {}}, {"a/3", {}}}));
  CHECK(at.told("a/") == "a/1=new ");
}

TEST_CASE("documents: a refusal stores nothing and is returned", "[documents]") {
  EngineWithDocuments at;
  REQUIRE(at.change({{"a/1", "x"}}));
  const auto refused = change_documents(at.driver.engine(),
                                        [](const Documents& stored, Timestamp) -> Result<Changes> {
                                          CHECK(*stored.find("a/1") == "x");
                                          CHECK_FALSE(stored.find("a/2")->has_value());
                                          return Error::validation("no");
                                        });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "no");
  CHECK(at.told("") == "a/1=x ");
}

TEST_CASE("documents: a rollback takes them back", "[documents]") {
  EngineWithDocuments at;
  REQUIRE(at.change({{"a/1", "old"}, {"a/2", "gone"}}));
  REQUIRE(at.driver.engine().set_mark("m") == MarkOutcome::Done);
  REQUIRE(at.change({{"a/1", "new"}, {"a/2", {}}, {"a/3", "more"}}));
  REQUIRE(at.driver.engine().roll_back("m") == MarkOutcome::Done);
  CHECK(at.told("a/") == "a/1=old a/2=gone ");
}

TEST_CASE("documents: a prefix is removed in several commits", "[documents]") {
  EngineWithDocuments at;
  Changes many;
  for (int i = 0; i < 2500; ++i) many.push_back({"a/" + std::to_string(i), "x"});
  many.push_back({"b", "stays"});
  REQUIRE(at.change(many));
  CHECK(remove_documents(at.driver.engine(), "a/"));
  CHECK(at.told("") == "b=stays ");
}

}  // namespace
}  // namespace stator::test
