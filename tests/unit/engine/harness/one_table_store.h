// OneTableStore: a store in memory with items of one table, for what stands below operations.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/catalog/catalog.h"
#include "engine/items/item_decision.h"
#include "engine/state/in_flight_transactions.h"
#include "engine/storage/environment/environment.h"
#include "engine/storage/migration/open_store.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"
#include "protocol/values/item_size.h"

namespace stator::test {

inline constexpr std::int64_t kCollectionBytesMax = 4000;

// pk, sk; a local index by `la` with everything, a global one by `gh`.
inline Table indexed_table() {
  Table table;
  table.space = storage::SpaceId{1};
  table.partition_key = {"pk", Type::S};
  table.sort_key = KeyAttribute{"sk", Type::S};
  LocalIndex local;
  local.name = "by_la";
  local.space = storage::SpaceId{2};
  local.partition_keys = {{"pk", Type::S}};
  local.sort_keys = {{"la", Type::S}};
  table.local_indexes = {local};
  GlobalIndex global;
  global.name = "by_gh";
  global.space = storage::SpaceId{3};
  global.partition_keys = {{"gh", Type::S}};
  table.global_indexes = {global};
  table.begin_runtimes();
  return table;
}

class NobodyMissing final : public MissingTableListener {
 public:
  void table_missing(const Catalog&, std::string_view, std::string_view) override {}
};

struct OneTableStore {
  Table table = indexed_table();
  std::unique_ptr<storage::Environment> environment = *storage::open_store({});
  std::unique_ptr<storage::WriteTransaction> begun =
      *storage::WriteTransaction::begin(*environment);
  storage::WriteTransaction& transaction = *begun;
  Catalog catalog;
  NobodyMissing listener;
  InFlightTransactions flights;
  Snapshot snapshot{transaction, catalog, Timestamp{0}, listener, flights};
  SeededRandom random{1};
  Mutation mutation{random};
  Arena arena;
  std::string scratch;
  DecidedCollections earlier;

  // Attributes of type S, and the key p/`sk`.
  Item item(std::string_view sk, std::map<std::string, std::string> more = {}) {
    more["pk"] = "p";
    more["sk"] = sk;
    std::vector<Member> members;
    for (const auto& [name, text] : more) {
      members.push_back(
          {arena.copy(std::string_view(name)), Value::string(arena.copy(std::string_view(text)))});
    }
    return arena.copy(std::span<const Member>(members));
  }
  PutPlan put(Item item, std::string_view condition = {}) {
    return {item, item_size_bytes(item), parse(condition)};
  }
  const expr::Condition* parse(std::string_view text) {
    if (text.empty()) return nullptr;
    auto placeholders = none();
    return *expr::parse_condition(text, "ConditionExpression", placeholders, {}, arena);
  }
  const expr::Update* parse_update(std::string_view text) {
    auto placeholders = none();
    return *expr::parse_update(text, placeholders, {}, arena);
  }
  expr::Placeholders none() {
    const auto* body = arena.make<JsonNode>(*read_json(no_members, arena));
    return *expr::Placeholders::read(*body, {}, arena, nullptr);
  }

  Result<Decision> decide(const WritePlan& plan) {
    const auto key = locate(table, plan);
    if (!key) return Error::validation(key.error().message());
    return stator::decide(
        table, *key, plan,
        {snapshot, arena, scratch, mutation.looking(), kCollectionBytesMax, &earlier});
  }
  void store(const WritePlan& plan) {
    const auto decided = decide(plan);
    REQUIRE(decided);
    const Decision& decision = *decided;
    mutation.clear();
    enter(decision, mutation);
    for (const auto& entry : mutation.entries()) mutation.apply_entry(entry);
    apply();
  }
  void apply() {
    for (const auto& change : mutation.items()) {
      if (change.after) {
        REQUIRE(storage::put_record(transaction, change.key, *change.after));
      } else {
        REQUIRE(storage::erase_record(transaction, change.key));
      }
    }
    for (const auto& change : mutation.records()) {
      if (change.erase) {
        REQUIRE(storage::erase_record(transaction, change.key));
      } else {
        REQUIRE(storage::put_record(transaction, change.key, change.record));
      }
    }
    mutation.clear();
  }
  bool is_untouched() const {
    return mutation.items().empty() && mutation.records().empty() && mutation.entries().empty() &&
           mutation.stats().empty() && mutation.collections().empty();
  }

  std::string no_members = "{}";
};

}  // namespace stator::test
