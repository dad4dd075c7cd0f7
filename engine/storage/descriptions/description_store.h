// Descriptions with a key by name and, while work on them is in progress, one by the space that has
// their items: what the stores of descriptions.h share. In the database Backups;
// engine/storage/FORMAT.md draws it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/environment/transaction.h"
#include "engine/storage/keys/keys.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// A position among the descriptions of one kind and scope, in the order of their ids.
struct DescriptionPosition {
  std::string_view id;
  std::string_view table_name;
};

// Calls `visit` with the values of the records whose keys begin with the prefix.
template <class Visit>
Result<void> visit_descriptions(const Transaction& transaction, std::string_view prefix,
                                const Visit& visit) {
  std::string key(prefix);
  for (bool is_after = false;; is_after = true) {
    STATOR_TRY(const auto met, transaction.seek(Database::Backups, key, is_after));
    if (!met || !met->key.starts_with(prefix)) return {};
    key = met->key;
    STATOR_CHECK(visit(met->value));
  }
}

// `Format` says what is described, and how:
//
//   using Value = Backup;
//   static constexpr DescriptionKind kKind = DescriptionKind::Backup;
//   static constexpr std::string_view kName = "a backup";   // for the log
//   static std::string encode(const Value& value);
//   static std::optional<Value> decode(std::string text);  // empty: damaged
//   static bool is_in_progress(const Value& value);
template <class Format>
class DescriptionStore {
 public:
  using Value = typename Format::Value;
  using Found = Result<std::optional<Value>>;

  static Found decode(std::string_view bytes) {
    auto value = Format::decode(std::string(bytes));
    if (!value)
      return Error(ErrorCode::InternalServerError, "the data is damaged: the description of " +
                                                       std::string(Format::kName) +
                                                       " cannot be read");
    return value;
  }

  static Found find(const Transaction& transaction, std::string_view key) {
    STATOR_TRY(const auto stored, transaction.find(Database::Backups, key));
    return stored ? decode(*stored) : std::optional<Value>();
  }
  static Found find(const Transaction& transaction, std::string_view scope, std::string_view id,
                    std::string_view table_name) {
    return find(transaction, DescriptionKey{Format::kKind, scope, id, table_name}.encode().view());
  }
  // The one in progress whose items are in the space.
  static Found find_in_progress(const Transaction& transaction, SpaceId space) {
    STATOR_TRY(const auto key,
               transaction.find(Database::Backups,
                                DescriptionSpaceKey{Format::kKind, space}.encode().view()));
    return key ? find(transaction, std::string(*key)) : std::optional<Value>();
  }

  // The first of the scope after the position; an empty id stands before all.
  static Found next(const Transaction& transaction, std::string_view scope,
                    const DescriptionPosition& after) {
    const KeyBuffer prefix = DescriptionKey::prefix(Format::kKind, scope);
    STATOR_TRY(const auto met, transaction.seek(Database::Backups, key_at(prefix, after),
                                                /*after=*/!after.id.empty()));
    if (!met || !met->key.starts_with(prefix.view())) return std::optional<Value>();
    return decode(met->value);
  }
  // The last of the scope before the position; an empty id stands after all.
  static Found last_before(const Transaction& transaction, std::string_view scope,
                           const DescriptionPosition& position) {
    const KeyBuffer prefix = DescriptionKey::prefix(Format::kKind, scope);
    std::string key = key_at(prefix, position);
    // An id begins with a digit.
    if (position.id.empty()) key += '\xFF';
    STATOR_TRY(const auto met, transaction.seek_before(Database::Backups, key));
    if (!met || !met->key.starts_with(prefix.view())) return std::optional<Value>();
    return decode(met->value);
  }

  // Calls `visit(Value&&)`, which returns Result<bool>, with the scope's from the last before the
  // position back, until it returns false.
  template <class Visit>
  static Result<void> visit_newest_first(const Transaction& transaction, std::string_view scope,
                                         const DescriptionPosition& before, const Visit& visit) {
    return visit_from(before, visit, [&](const DescriptionPosition& position) {
      return last_before(transaction, scope, position);
    });
  }
  // Visits them from the scope's first on.
  template <class Visit>
  static Result<void> visit_oldest_first(const Transaction& transaction, std::string_view scope,
                                         const Visit& visit) {
    return visit_from({}, visit, [&](const DescriptionPosition& position) {
      return next(transaction, scope, position);
    });
  }

  static Result<std::size_t> count(const Transaction& transaction, std::string_view scope) {
    std::size_t count = 0;
    STATOR_CHECK(visit_descriptions(transaction,
                                    DescriptionKey::prefix(Format::kKind, scope).view(),
                                    [&](std::string_view) -> Result<void> {
                                      ++count;
                                      return {};
                                    }));
    return count;
  }
  static Result<std::size_t> count_in_progress(const Transaction& transaction,
                                               std::string_view scope) {
    std::size_t count = 0;
    const KeyBuffer of_scope = DescriptionKey::prefix(Format::kKind, scope);
    STATOR_CHECK(visit_descriptions(transaction, DescriptionSpaceKey::prefix(Format::kKind).view(),
                                    [&](std::string_view key) -> Result<void> {
                                      count += key.starts_with(of_scope.view()) ? 1 : 0;
                                      return {};
                                    }));
    return count;
  }
  // In progress, of all scopes.
  static Result<std::vector<Value>> all_in_progress(const Transaction& transaction) {
    std::vector<Value> values;
    STATOR_CHECK(visit_descriptions(transaction, DescriptionSpaceKey::prefix(Format::kKind).view(),
                                    [&](std::string_view key) -> Result<void> {
                                      STATOR_TRY(auto value, find(transaction, std::string(key)));
                                      if (value) values.push_back(*std::move(value));
                                      return {};
                                    }));
    return values;
  }

  // Of all scopes.
  static Result<std::vector<Value>> all(const Transaction& transaction) {
    std::vector<Value> values;
    STATOR_CHECK(visit_descriptions(transaction, DescriptionKey::prefix(Format::kKind).view(),
                                    [&](std::string_view bytes) -> Result<void> {
                                      STATOR_TRY(auto value, decode(bytes));
                                      values.push_back(*std::move(value));
                                      return {};
                                    }));
    return values;
  }

  // Stores a new description, or the new state of one.
  static Result<void> put(WriteTransaction& transaction, const Value& value) {
    const KeyBuffer key = key_of(value);
    if (Format::is_in_progress(value)) {
      STATOR_CHECK(transaction.put(Database::Backups, space_key_of(value).view(), key.view()));
    } else {
      STATOR_CHECK(erase(transaction, space_key_of(value)));
    }
    return transaction.put(Database::Backups, key.view(), Format::encode(value));
  }
  // REQUIRES: the caller drops the space of a backup.
  static Result<void> erase(WriteTransaction& transaction, const Value& value) {
    STATOR_CHECK(erase(transaction, space_key_of(value)));
    return erase(transaction, key_of(value));
  }

 private:
  template <class Visit, class Find>
  static Result<void> visit_from(const DescriptionPosition& start, const Visit& visit,
                                 const Find& find_neighbour) {
    std::string id(start.id);
    std::string table_name(start.table_name);
    for (;;) {
      STATOR_TRY(auto value, find_neighbour(DescriptionPosition{id, table_name}));
      if (!value) return {};
      id = value->id;
      table_name = value->table.name;
      STATOR_TRY(const bool goes_on, visit(*std::move(value)));
      if (!goes_on) return {};
    }
  }
  static KeyBuffer key_of(const Value& value) {
    return DescriptionKey{Format::kKind, value.scope, value.id, value.table.name}.encode();
  }
  static KeyBuffer space_key_of(const Value& value) {
    return DescriptionSpaceKey{Format::kKind, value.space}.encode();
  }
  static std::string key_at(const KeyBuffer& prefix, const DescriptionPosition& position) {
    return std::string(prefix.view()).append(position.id).append(position.table_name);
  }
  static Result<void> erase(WriteTransaction& transaction, const KeyBuffer& key) {
    STATOR_CHECK(transaction.erase(Database::Backups, key.view()).map([](bool /*existed*/) {}));
    return {};
  }
};

}  // namespace stator::storage
