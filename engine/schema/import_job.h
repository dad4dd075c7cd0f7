// Imports of tables: what ImportTable asked for, and how far it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/job_objects.h"
#include "engine/schema/space.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

enum class ImportStatus : std::uint8_t { InProgress, Completed, Failed };
enum class ImportFormat : std::uint8_t { DynamodbJson, Ion, Csv };

// Names on the wire.
std::string_view to_text(ImportStatus status);
std::string_view to_text(ImportFormat format);
// REQUIRES: a name on the wire.
ImportFormat import_format_of(std::string_view text);

// How long an import can be described, and its client token repeated. At kImportsMax of a scope a
// new import replaces the oldest that has ended.
inline constexpr std::chrono::hours kImportLife{24 * 90};
inline constexpr std::chrono::hours kImportTokenLife{8};
inline constexpr std::size_t kImportsMax = 1000;

// Table::creating_until of a table whose import is in progress: it is CREATING until the import's
// end sets another time.
inline constexpr Timestamp kWhileImported = Timestamp::max();

// Members of the request; what it left out has its default, or is empty if it has none.
struct ImportRequest {
  std::string client_token;
  std::string bucket;
  std::string bucket_owner;
  std::optional<std::string> prefix;
  ImportFormat format = ImportFormat::DynamodbJson;
  ObjectCompression compression = ObjectCompression::None;
  std::string delimiter;            // one character; CSV only
  std::vector<std::string> header;  // names of columns; empty: the first line has them
  // As they were sent: InputFormatOptions, empty without, and TableCreationParameters.
  std::string options_json;
  std::string table_json;
};

// What is done. It changes in the commits of the items themselves, so it is exact at any time.
struct ImportProgress {
  // Where the input goes on: after this many records of the object, or after the whole object.
  // Objects are read in the order of their keys; an empty key stands before all.
  std::string object_key;
  std::uint64_t object_records = 0;
  bool is_object_read = false;
  std::int64_t object_bytes = 0;  // of processed_bytes: those of this object
  std::int64_t processed_items = 0;
  std::int64_t imported_items = 0;
  std::int64_t error_count = 0;
  std::int64_t processed_bytes = 0;  // of objects as they are stored

  bool operator==(const ImportProgress&) const = default;
};

struct ImportJob {
  std::string scope;  // which requests can use it (Isolation)
  std::string id;     // 01489602797149-73d8d5bc; in the order of their starts
  Table table;        // as it is to be made; its space is the import's
  ImportRequest request;
  Timestamp started;
  ImportStatus status = ImportStatus::InProgress;
  Timestamp ended;  // zero while it is in progress
  ImportProgress progress;
  std::string failure_code = {};  // Failed only
  std::string failure_message = {};
  storage::SpaceId space{};  // of the table; a new import has space zero until it is applied

  bool is_in_progress() const { return status == ImportStatus::InProgress; }
  bool is_gone(Timestamp now) const { return !is_in_progress() && now >= ended.plus(kImportLife); }
  std::string arn() const;
};

}  // namespace stator
