#include "server/triggers/mapping_store.h"

#include <algorithm>
#include <utility>

#include "server/triggers/mapping_codec.h"

namespace stator::triggers {
namespace {

constexpr std::string_view kOwner = "triggers/";
constexpr std::string_view kMappingPrefix = "triggers/mapping/";
constexpr std::string_view kResultPrefix = "triggers/result/";

std::string mapping_key(std::string_view uuid) { return std::string(kMappingPrefix).append(uuid); }
std::string result_key(std::string_view uuid) { return std::string(kResultPrefix).append(uuid); }

Error damaged_document(std::string_view key) {
  return Error(ErrorCode::InternalServerError,
               std::string("the data is damaged: ").append(key).append(" cannot be read"));
}

Result<std::vector<Mapping>> all_mappings(const Documents& stored) {
  std::vector<Mapping> mappings;
  std::string damaged_key;
  STATOR_CHECK(stored.visit(kMappingPrefix, [&](std::string_view key, std::string_view value) {
    auto mapping = decode_mapping(std::string(value));
    if (!mapping) {
      damaged_key = key;
      return false;
    }
    mappings.push_back(*std::move(mapping));
    return true;
  }));
  if (!damaged_key.empty()) return damaged_document(damaged_key);
  std::sort(mappings.begin(), mappings.end(), [](const Mapping& a, const Mapping& b) {
    return a.created != b.created ? a.created < b.created : a.uuid < b.uuid;
  });
  return mappings;
}

Result<std::optional<Mapping>> find_mapping(const Documents& stored, std::string_view uuid) {
  const std::string key = mapping_key(uuid);
  STATOR_TRY(auto text, stored.find(key));
  if (!text) return std::optional<Mapping>();
  auto mapping = decode_mapping(*std::move(text));
  if (!mapping) return damaged_document(key);
  return mapping;
}

Result<std::vector<ShardPosition>> positions_of(const Documents& stored, std::string_view uuid) {
  std::vector<ShardPosition> positions;
  std::string damaged_key;
  const auto take = [&](std::string_view key, std::string_view value) {
    auto position = decode_position(key, value);
    if (!position) {
      damaged_key = key;
      return false;
    }
    positions.push_back(*std::move(position));
    return true;
  };
  STATOR_CHECK(stored.visit(position_prefix(uuid), take));
  if (!damaged_key.empty()) return damaged_document(damaged_key);
  return positions;
}

// Adds what removes a mapping and all that belongs to it.
Result<void> add_removal(const Documents& stored, std::string_view uuid,
                         std::vector<DocumentChange>& changes) {
  changes.push_back({.key = mapping_key(uuid), .value = {}});
  changes.push_back({.key = result_key(uuid), .value = {}});
  return stored.visit(position_prefix(uuid), [&](std::string_view key, std::string_view) {
    changes.push_back({.key = std::string(key), .value = {}});
    return true;
  });
}

// Takes those that are gone out of the list, and adds what removes them.
Result<void> remove_gone(const Documents& stored, Timestamp now, std::vector<Mapping>& mappings,
                         std::vector<DocumentChange>& changes) {
  for (const Mapping& mapping : mappings) {
    if (mapping.is_gone(now)) STATOR_CHECK(add_removal(stored, mapping.uuid, changes));
  }
  std::erase_if(mappings, [&](const Mapping& mapping) { return mapping.is_gone(now); });
  return {};
}

// Whether the stored position is the one that the caller began with.
Result<bool> is_expected(const Documents& stored, std::string_view key,
                         const std::optional<std::uint64_t>& expected) {
  STATOR_TRY(const auto value, stored.find(key));
  if (!value) return !expected;
  const auto position = decode_position(key, *value);
  return position && expected == position->next;
}

// The UUID in the key of a position.
std::string_view uuid_of_position(std::string_view key) {
  const std::string prefix = position_prefix({});  // ends with the slash behind the UUID
  key.remove_prefix(std::min(key.size(), prefix.size() - 1));
  return key.substr(0, key.find('/'));
}

}  // namespace

std::string document_problem(std::string_view key, std::string_view value,
                             const FindDocument& find) {
  if (!key.starts_with(kOwner)) return {};
  if (key.starts_with(kMappingPrefix)) {
    const auto mapping = decode_mapping(std::string(value));
    if (!mapping) return "cannot be read";
    return mapping_key(mapping->uuid) == key ? "" : "stands under another key";
  }
  const bool is_result = key.starts_with(kResultPrefix);
  if (!is_result && !decode_position(key, value)) return "cannot be read";
  const std::string_view uuid =
      is_result ? key.substr(kResultPrefix.size()) : uuid_of_position(key);
  return find(mapping_key(uuid)) ? "" : "its event source mapping is not there";
}

MappingStore::MappingStore(Engine& engine) : engine_(engine), reader_(engine) {}

Result<void> MappingStore::look(const LookAt& look) {
  const std::scoped_lock lock(reading_);
  return engine_.look(reader_, [&](const Snapshot& snapshot) { return look(Documents(snapshot)); });
}

Result<std::vector<Mapping>> MappingStore::list() {
  std::vector<Mapping> mappings;
  STATOR_CHECK(look([&](const Documents& stored) -> Result<void> {
    STATOR_TRY(mappings, all_mappings(stored));
    return {};
  }));
  const Timestamp now = engine_.clock().now();
  std::erase_if(mappings, [&](const Mapping& mapping) { return mapping.is_gone(now); });
  return mappings;
}

Result<std::optional<Mapping>> MappingStore::find(std::string_view uuid) {
  std::optional<Mapping> found;
  STATOR_CHECK(look([&](const Documents& stored) -> Result<void> {
    STATOR_TRY(found, find_mapping(stored, uuid));
    return {};
  }));
  if (found && found->is_gone(engine_.clock().now())) found.reset();
  return found;
}

Result<Mapping> MappingStore::change(const Decide& decide) {
  Mapping decided;
  const auto work = [&](const Documents& stored,
                        Timestamp now) -> Result<std::vector<DocumentChange>> {
    std::vector<DocumentChange> changes;
    STATOR_TRY(auto mappings, all_mappings(stored));
    STATOR_CHECK(remove_gone(stored, now, mappings, changes));
    STATOR_TRY(decided, decide(mappings, now));
    changes.push_back({.key = mapping_key(decided.uuid), .value = encode_mapping(decided)});
    return changes;
  };
  STATOR_CHECK(change_documents(engine_, work));
  announce();
  return decided;
}

Result<void> MappingStore::put(const Mapping& mapping) {
  const auto as_it_is = [&](const std::vector<Mapping>&, Timestamp) -> Result<Mapping> {
    return mapping;
  };
  STATOR_CHECK(change(as_it_is));
  return {};
}

Result<bool> MappingStore::remove(std::string_view uuid) {
  bool is_there = false;
  const auto work = [&](const Documents& stored,
                        Timestamp now) -> Result<std::vector<DocumentChange>> {
    std::vector<DocumentChange> changes;
    STATOR_TRY(const auto mapping, find_mapping(stored, uuid));
    is_there = mapping && !mapping->is_gone(now);
    if (mapping) STATOR_CHECK(add_removal(stored, uuid, changes));
    return changes;
  };
  STATOR_CHECK(change_documents(engine_, work, /*only_frees_space=*/true));
  announce();
  return is_there;
}

Result<void> MappingStore::remove_of_scopes(
    const std::function<bool(std::string_view scope)>& is_meant) {
  const auto work = [&](const Documents& stored,
                        Timestamp /*now*/) -> Result<std::vector<DocumentChange>> {
    std::vector<DocumentChange> changes;
    STATOR_TRY(const auto mappings, all_mappings(stored));
    for (const Mapping& mapping : mappings) {
      if (is_meant(mapping.scope)) STATOR_CHECK(add_removal(stored, mapping.uuid, changes));
    }
    return changes;
  };
  STATOR_CHECK(change_documents(engine_, work, /*only_frees_space=*/true));
  announce();
  return {};
}

Result<std::vector<ShardPosition>> MappingStore::positions(std::string_view uuid) {
  std::vector<ShardPosition> positions;
  STATOR_CHECK(look([&](const Documents& stored) -> Result<void> {
    STATOR_TRY(positions, positions_of(stored, uuid));
    return {};
  }));
  return positions;
}

PositionsOutcome MappingStore::put_positions(std::string_view uuid,
                                             std::span<const PositionChange> changes,
                                             std::optional<std::string_view> result) {
  bool is_outdated = false;
  const auto work = [&](const Documents& stored,
                        Timestamp now) -> Result<std::vector<DocumentChange>> {
    std::vector<DocumentChange> documents;
    STATOR_TRY(const auto mapping, find_mapping(stored, uuid));
    is_outdated = !mapping || mapping->is_gone(now);
    for (const PositionChange& change : changes) {
      if (is_outdated) break;
      std::string key = position_key(uuid, change.shard_id, change.lane);
      STATOR_TRY(const bool is_as_expected, is_expected(stored, key, change.expected));
      is_outdated = !is_as_expected;
      std::optional<std::string> value;
      if (change.position) value = encode_position(*change.position);
      documents.push_back({.key = std::move(key), .value = std::move(value)});
    }
    if (is_outdated) return std::vector<DocumentChange>();
    if (result) documents.push_back({.key = result_key(uuid), .value = std::string(*result)});
    return documents;
  };
  if (!change_documents(engine_, work)) return PositionsOutcome::Failed;
  return is_outdated ? PositionsOutcome::Outdated : PositionsOutcome::Stored;
}

Result<std::string> MappingStore::result(std::string_view uuid) {
  std::optional<std::string> found;
  STATOR_CHECK(look([&](const Documents& stored) -> Result<void> {
    STATOR_TRY(found, stored.find(result_key(uuid)));
    return {};
  }));
  return found ? *std::move(found) : std::string(kNothingProcessed);
}

void MappingStore::on_change(std::function<void()> changed) {
  const std::scoped_lock lock(listening_);
  changed_ = std::move(changed);
}

void MappingStore::announce() {
  const std::scoped_lock lock(listening_);
  if (changed_) changed_();
}

}  // namespace stator::triggers
