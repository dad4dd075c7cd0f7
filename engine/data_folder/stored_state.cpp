#include "engine/data_folder/stored_state.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/table_codec.h"

namespace stator {
namespace {

using storage::Database;
using storage::DescriptionKey;
using storage::DescriptionKind;
using storage::DescriptionSpaceKey;

std::string place_of_job(std::string_view noun, std::string_view id, std::string_view table_name) {
  return std::string(noun).append(" ").append(id).append(" of table ").append(table_name);
}

// The part of a description's key behind its scope.
std::string_view behind_scope(std::string_view key) {
  constexpr std::size_t kDigestBytes = 32;
  if (key.size() < 2) return {};
  const auto length = static_cast<unsigned char>(key[1]);
  const std::size_t scope_bytes =
      length <= storage::kInlinePartitionBytesMax ? std::size_t{length} : kDigestBytes;
  return key.size() < 2 + scope_bytes ? std::string_view() : key.substr(2 + scope_bytes);
}

class StateReader {
 public:
  StateReader(const storage::Transaction& transaction, Findings& findings)
      : transaction_(transaction),
        findings_(findings),
        state_{transaction, findings, std::make_shared<Catalog>(), {}, {}, {}, {}, {}, {}} {}

  Result<StoredState> read() {
    STATOR_CHECK(read_tables());
    STATOR_CHECK(read_kind<storage::BackupFormat>(state_.backups, "backup"));
    STATOR_CHECK(read_kind<storage::ExportJobFormat>(state_.exports, "export"));
    STATOR_CHECK(read_kind<storage::ImportJobFormat>(state_.imports, "import"));
    STATOR_CHECK(read_kind<storage::BulkJobFormat>(state_.bulk_jobs, "bulk put"));
    STATOR_CHECK(read_kinesis_streams());
    STATOR_CHECK(find_unknown_kinds());
    for (const Backup& backup : state_.backups) own(backup.space, place_of(backup));
    for (const ExportJob& job : state_.exports) {
      if (job.is_in_progress()) own(job.space, place_of(job));
    }
    for (const BulkJob& job : state_.bulk_jobs) {
      if (job.is_in_progress()) own(job.space, place_of(job));
    }
    for (const KinesisStream& stream : state_.kinesis_streams) own(stream.space, place_of(stream));
    return std::move(state_);
  }

 private:
  void own(storage::SpaceId space, const std::string& where) {
    const auto [owner, is_new] = state_.owners.try_emplace(space, where);
    if (!is_new) findings_.add(where, "has the same space as " + owner->second);
  }

  // Calls `visit(key, value)` with the records whose keys begin with the prefix.
  template <class Visit>
  Result<void> visit_records(Database database, std::string_view prefix, const Visit& visit) {
    std::string key(prefix);
    for (bool is_after = false;; is_after = true) {
      STATOR_TRY(const auto met, transaction_.seek(database, key, is_after));
      if (!met || !met->key.starts_with(prefix)) return {};
      key = met->key;
      STATOR_CHECK(visit(key, met->value));
    }
  }

  Result<void> read_tables() {
    return visit_records(Database::Tables, {},
                         [&](const std::string& key, std::string_view value) -> Result<void> {
                           const auto space = storage::SpaceKey::decode(key);
                           auto table = decode_table(std::string(value));
                           if (!space || !table) {
                             findings_.add(space ? "table of " + place_of(space->space) : "a table",
                                           "its description cannot be read");
                             return {};
                           }
                           const std::string where = place_of(*table);
                           if (table->space != space->space)
                             findings_.add(where, "stands under another key");
                           if (state_.catalog->find_recorded(table->scope, table->name) != nullptr)
                             findings_.add(where, "there are two of this name");
                           for (const storage::SpaceId one : spaces_of(*table)) own(one, where);
                           if (table->recovery) own(table->recovery->space, where + ", recovery");
                           table->begin_runtimes();
                           state_.catalog->insert(std::make_shared<const Table>(std::move(*table)));
                           return {};
                         });
  }

  // The descriptions of one kind, and their keys by space.
  template <class Format>
  Result<void> read_kind(std::vector<typename Format::Value>& values, std::string_view noun) {
    const auto read_one = [&](const std::string& key, std::string_view bytes) -> Result<void> {
      auto value = Format::decode(std::string(bytes));
      if (!value) {
        const std::string_view name = behind_scope(key);
        const std::size_t id_bytes = std::min(name.size(), storage::kBackupIdBytes);
        findings_.add(place_of_job(noun, name.substr(0, id_bytes), name.substr(id_bytes)),
                      "its description cannot be read");
        return {};
      }
      if (!stands_under<Format>(key, *value)) {
        findings_.add(place_of(*value), "stands under another key");
        return {};
      }
      STATOR_CHECK(check_space_key<Format>(key, *value));
      values.push_back(*std::move(value));
      return {};
    };
    STATOR_CHECK(
        visit_records(Database::Backups, DescriptionKey::prefix(Format::kKind).view(), read_one));
    return check_space_keys<Format>(noun);
  }

  template <class Format>
  static bool stands_under(std::string_view key, const typename Format::Value& value) {
    if (value.id.size() != storage::kBackupIdBytes) return false;
    const DescriptionKey own{Format::kKind, value.scope, value.id, value.table.name};
    return key == own.encode().view();
  }

  // What is in progress is found by its space.
  template <class Format>
  Result<void> check_space_key(std::string_view key, const typename Format::Value& value) {
    if (!Format::is_in_progress(value)) return {};
    const auto by_space = DescriptionSpaceKey{Format::kKind, value.space}.encode();
    STATOR_TRY(const auto named, transaction_.find(Database::Backups, by_space.view()));
    if (!named || *named != key)
      findings_.add(place_of(value), "is in progress, and is not found by its space");
    return {};
  }

  // The other way round: a key by space names something that is in progress there.
  template <class Format>
  Result<void> check_space_keys(std::string_view noun) {
    const storage::KeyBuffer prefix = DescriptionSpaceKey::prefix(Format::kKind);
    return visit_records(
        Database::Backups, prefix.view(),
        [&](const std::string& key, std::string_view named) -> Result<void> {
          const auto space = storage::SpaceKey::decode(std::string_view(key).substr(prefix.size()));
          const std::string where = "the key by space of " + std::string(noun);
          if (!space) {
            findings_.add(where, space.error());
            return {};
          }
          STATOR_TRY(const auto bytes, transaction_.find(Database::Backups, named));
          const auto value = bytes ? Format::decode(std::string(*bytes)) : std::nullopt;
          // read_kind() has reported one that is damaged.
          if (bytes && !value) return {};
          if (!value || !Format::is_in_progress(*value) || value->space != space->space)
            findings_.add(place_of(space->space), "no " + std::string(noun) + " is in progress");
          return {};
        });
  }

  Result<void> read_kinesis_streams() {
    const DescriptionKind kind = DescriptionKind::KinesisStream;
    return visit_records(
        Database::Backups, DescriptionKey::prefix(kind).view(),
        [&](const std::string& key, std::string_view bytes) -> Result<void> {
          auto stream = decode_kinesis_stream(std::string(bytes));
          if (!stream) {
            findings_.add("Kinesis stream " + std::string(behind_scope(key)),
                          "its description cannot be read");
            return {};
          }
          const std::string own_key =
              std::string(DescriptionKey::prefix(kind, stream->scope).view()).append(stream->name);
          if (key != own_key) findings_.add(place_of(*stream), "stands under another key");
          state_.kinesis_streams.push_back(*std::move(stream));
          return {};
        });
  }

  // The kinds are the first bytes of keys, without gaps.
  Result<void> find_unknown_kinds() {
    const char first = static_cast<char>(DescriptionKind::Backup);
    const char behind = static_cast<char>(static_cast<int>(DescriptionKind::KinesisStream) + 1);
    STATOR_TRY(const auto before,
               transaction_.seek_before(Database::Backups, std::string_view(&first, 1)));
    STATOR_TRY(const auto after, transaction_.seek(Database::Backups, std::string(1, behind)));
    if (before || after) findings_.add("descriptions of jobs", "one is of an unknown kind");
    return {};
  }

  const storage::Transaction& transaction_;
  Findings& findings_;
  StoredState state_;
};

}  // namespace

std::string place_of(const Table& table) { return "table " + table.name; }
std::string place_of(const Backup& backup) {
  return place_of_job("backup", backup.id, backup.table.name);
}
std::string place_of(const ExportJob& job) {
  return place_of_job("export", job.id, job.table.name);
}
std::string place_of(const ImportJob& job) {
  return place_of_job("import", job.id, job.table.name);
}
std::string place_of(const BulkJob& job) {
  return place_of_job("bulk put", job.id, job.table.name);
}
std::string place_of(const KinesisStream& stream) { return "Kinesis stream " + stream.name; }
std::string place_of(storage::SpaceId space) {
  return "space " + std::to_string(static_cast<std::uint32_t>(space));
}

Result<StoredState> read_stored_state(const storage::Transaction& transaction, Findings& findings) {
  return StateReader(transaction, findings).read();
}

}  // namespace stator
