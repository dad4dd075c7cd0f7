#include "engine/data_folder/side_check.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/catalog/mark_state.h"
#include "engine/catalog/persisted_clock.h"
#include "engine/catalog/persisted_time.h"
#include "engine/storage/bytes/bytes.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/keys/undo_record.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/stream_store.h"
#include "engine/storage/stores/throughput_store.h"
#include "engine/storage/stores/token_store.h"
#include "protocol/policy/policy_document.h"

namespace stator {
namespace {

using storage::Database;

class SideChecker {
 public:
  explicit SideChecker(const StoredState& state)
      : state_(state), transaction_(state.transaction), findings_(state.findings) {}

  Result<void> check(const storage::Environment& environment, const CheckDocument& check_document) {
    for (const Database database : {Database::Items, Database::Expiries, Database::Collections})
      STATOR_CHECK(check_spaces(database));
    STATOR_CHECK(check_stats());
    STATOR_CHECK(check_purges());
    STATOR_CHECK(check_nodes());
    STATOR_CHECK(check_tokens());
    STATOR_CHECK(check_throughput());
    check_policies();
    STATOR_CHECK(check_counters(environment));
    STATOR_CHECK(check_marks());
    STATOR_CHECK(check_undo());
    return check_documents(check_document);
  }

 private:
  // Calls `visit(key, value)` with all records of a database.
  template <class Visit>
  Result<void> visit_all(Database database, const Visit& visit) {
    std::string key;
    for (bool is_after = false;; is_after = true) {
      STATOR_TRY(const auto met, transaction_.seek(database, key, is_after));
      if (!met) return {};
      key = met->key;
      STATOR_CHECK(visit(std::string_view(key), met->value));
    }
  }

  Result<bool> is_dropped(storage::SpaceId space) {
    STATOR_TRY(const auto purge,
               transaction_.find(Database::Purges, storage::SpaceKey{space}.encode().view()));
    return purge.has_value();
  }

  // Finds records in spaces without an owner that wait for no removal.
  Result<void> check_spaces(Database database) {
    storage::KeyBuffer from;
    for (;;) {
      STATOR_TRY(const auto met, transaction_.seek(database, from.view()));
      if (!met) return {};
      const auto key = storage::SpaceKey::decode(met->key.substr(0, storage::kSpaceBytes));
      if (!key) {
        findings_.add("a record", key.error());
        return {};
      }
      STATOR_TRY(const bool is_to_go, is_dropped(key->space));
      if (!is_to_go && !state_.is_owned(key->space))
        findings_.add(place_of(key->space), "has no owner");
      from = key->encode();
      from.advance();
      if (from.size() == 0) return {};
    }
  }

  Result<void> check_stats() {
    return visit_all(Database::Stats, [&](std::string_view key, std::string_view value) {
      const auto space = storage::SpaceKey::decode(key);
      const auto stats = storage::decode_stats(value);
      if (!space || !stats) findings_.add("statistics", space ? stats.error() : space.error());
      return Result<void>();
    });
  }

  Result<void> check_purges() {
    return visit_all(Database::Purges, [&](std::string_view key, std::string_view value) {
      const auto space = storage::SpaceKey::decode(key);
      if (!space) {
        findings_.add("spaces to be removed", space.error());
        return Result<void>();
      }
      const std::string where = place_of(space->space);
      if (!value.empty()) findings_.add(where, "what is to be removed has a value");
      const auto owner = state_.owners.find(space->space);
      if (owner != state_.owners.end())
        findings_.add(where, "is to be removed, and belongs to " + owner->second);
      return Result<void>();
    });
  }

  // Each pointer leads to a node of its own, which is not empty.
  Result<void> check_nodes() {
    std::uint64_t pointers = 0;
    const auto follow = [&](std::string_view key, std::string_view value) -> Result<void> {
      if (!storage::is_pointer_key(key)) return {};
      ++pointers;
      if (value.size() != storage::kNodeIdBytes) {
        findings_.add("nodes of long keys", "the number of one cannot be read");
        return {};
      }
      const auto prefix = storage::node_prefix(storage::decode_pointer(value));
      STATOR_TRY(const auto first, transaction_.seek(Database::Nodes, prefix.view()));
      if (!first || !first->key.starts_with(prefix.view()))
        findings_.add("nodes of long keys", "one is empty");
      return {};
    };
    STATOR_CHECK(visit_all(Database::Items, follow));
    STATOR_CHECK(visit_all(Database::Nodes, follow));
    STATOR_TRY(const std::uint64_t nodes, count_nodes());
    if (nodes != pointers)
      findings_.add("nodes of long keys", std::to_string(nodes) + " are there, " +
                                              std::to_string(pointers) + " are named");
    return {};
  }

  Result<std::uint64_t> count_nodes() {
    storage::KeyBuffer from;
    for (std::uint64_t count = 0;; ++count) {
      STATOR_TRY(const auto met, transaction_.seek(Database::Nodes, from.view()));
      if (!met || met->key.size() < storage::kNodeIdBytes) return count;
      from =
          storage::node_prefix(storage::decode_pointer(met->key.substr(0, storage::kNodeIdBytes)));
      from.advance();
      if (from.size() == 0) return count + 1;
    }
  }

  Result<void> check_tokens() {
    const std::string where = "tokens";
    std::uint64_t tokens = 0;
    const auto visit = [&](const storage::StoredToken& /*token*/, bool is_timed) {
      ++tokens;
      if (!is_timed) findings_.add(where, "one is not found by its time");
    };
    if (const auto read = storage::for_each_token(transaction_, visit); !read) {
      findings_.add(where, read.error());
      return {};
    }
    const std::uint64_t times = transaction_.record_count(Database::TokenTimes);
    if (times != tokens)
      findings_.add(where, std::to_string(tokens) + " are there, " + std::to_string(times) +
                               " are found by their times");
    return {};
  }

  Result<void> check_throughput() {
    return storage::for_each_throughput(
        transaction_, [&](storage::SpaceId space, std::string_view record) -> Result<void> {
          const std::string where = "throughput of " + place_of(space);
          const Table* table = state_.catalog->find(space);
          if (table == nullptr ||
              (table->space != space && table->find_global_index(space) == nullptr))
            findings_.add(where, "belongs to no table or global index");
          if (const auto read = storage::decode_throughput(record); !read)
            findings_.add(where, read.error());
          return {};
        });
  }

  void check_policies() {
    const auto check = [&](const std::string& where, const std::optional<ResourcePolicy>& policy,
                           PolicyOwner owner) {
      if (!policy) return;
      const bool has_former = policy->former && !policy->former->document.empty();
      if ((policy->is_attached() && !stored_policy(policy->document, owner)) ||
          (has_former && !stored_policy(policy->former->document, owner)))
        findings_.add(where, "its resource policy cannot be read");
    };
    state_.catalog->for_each([&](const Table& table) {
      check(place_of(table), table.policy, PolicyOwner::Table);
      if (table.stream)
        check(place_of(table) + ", stream", table.stream->policy, PolicyOwner::Stream);
    });
  }

  // A number that is in use is never assigned again.
  Result<void> check_counters(const storage::Environment& environment) {
    const std::string where = "counters";
    const auto next_space = storage::next_number(transaction_, storage::MetaKey::NextSpace);
    if (!next_space) {
      findings_.add(where, next_space.error());
    } else if (!state_.owners.empty()) {
      const auto& [last, owner] = *state_.owners.rbegin();
      if (static_cast<std::uint64_t>(last) >= *next_space)
        findings_.add(where, "the next number of a space is " + std::to_string(*next_space) +
                                 ", and " + owner + " has a later one");
    }
    const auto next_node = storage::next_number(transaction_, storage::MetaKey::NextNode);
    STATOR_TRY(
        const auto last_node,
        transaction_.seek_before(Database::Nodes, std::string(storage::kPointerKeyBytes, '\xFF')));
    if (!next_node) {
      findings_.add(where, next_node.error());
    } else if (last_node && last_node->key.size() >= storage::kNodeIdBytes &&
               storage::decode_pointer(last_node->key.substr(0, storage::kNodeIdBytes)) >=
                   *next_node) {
      findings_.add(where, "the next number of a node is in use");
    }
    if (const auto time = PersistedTime::load(transaction_); !time)
      findings_.add(where, time.error());
    if (const auto clock = PersistedClock::load(environment); !clock)
      findings_.add(where, clock.error());
    STATOR_TRY(const auto secret, storage::stream_secret(transaction_));
    if (secret && secret->size() != storage::kStreamSecretBytes)
      findings_.add(where, "the secret of tokens cannot be read");
    return {};
  }

  Result<void> check_marks() {
    const auto marks = storage::all_marks(transaction_);
    if (!marks) {
      findings_.add("marks", marks.error());
      return {};
    }
    for (const storage::Mark& mark : *marks) {
      marks_.insert(mark.number);
      if (const auto state = decode_mark_state(mark.state); !state)
        findings_.add("mark " + mark.name, state.error());
    }
    return {};
  }

  Result<void> check_undo() {
    return visit_all(Database::Undo, [&](std::string_view key, std::string_view value) {
      const std::string where = "undo";
      const auto undone = storage::decode_undo(value);
      if (key.size() <= storage::kUndoPrefixBytes || !undone) {
        findings_.add(where, "what a record was before cannot be read");
        return Result<void>();
      }
      const std::uint32_t mark = mark_of(key);
      const auto number = static_cast<std::uint8_t>(key[storage::kUndoMarkBytes]);
      const auto database = static_cast<Database>(number);
      if (number >= storage::kDatabaseCount || !storage::is_remembered(database) ||
          storage::UndoKey::of(mark, database, undone->key).bytes() != key) {
        findings_.add(where, "what a record was before stands under another key");
      } else if (!marks_.contains(mark)) {
        findings_.add(where, "the mark " + std::to_string(mark) + " is not there");
      }
      return Result<void>();
    });
  }

  static std::uint32_t mark_of(std::string_view undo_key) {
    storage::ByteReader in(undo_key);
    return in.be<std::uint32_t>();
  }

  // The first part of a name is its owner.
  Result<void> check_documents(const CheckDocument& check_document) {
    const FindDocument find = [&](std::string_view key) -> std::optional<std::string> {
      const auto found = transaction_.find(Database::Documents, key);
      if (!found || !*found) return std::nullopt;
      return std::string(**found);
    };
    return visit_all(Database::Documents, [&](std::string_view key, std::string_view value) {
      std::string problem;
      if (key.find('/') == std::string_view::npos) {
        problem = "belongs to nobody";
      } else if (check_document) {
        problem = check_document(key, value, find);
      }
      if (!problem.empty()) findings_.add("document " + std::string(key), problem);
      return Result<void>();
    });
  }

  const StoredState& state_;
  const storage::Transaction& transaction_;
  Findings& findings_;
  std::set<std::uint32_t> marks_;
};

}  // namespace

Result<void> check_beside(const StoredState& state, const storage::Environment& environment,
                          const CheckDocument& check_document) {
  return SideChecker(state).check(environment, check_document);
}

}  // namespace stator
