// Exports of tables: what ExportTableToPointInTime asked for, and how far it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

enum class ExportStatus : std::uint8_t { InProgress, Completed, Failed };
enum class ExportFormat : std::uint8_t { DynamodbJson, Ion };
enum class ExportType : std::uint8_t { Full, Incremental };
enum class ExportView : std::uint8_t { NewImage, NewAndOldImages };

// Names on the wire.
std::string_view to_text(ExportStatus status);
std::string_view to_text(ExportFormat format);
std::string_view to_text(ExportType type);
std::string_view to_text(ExportView view);
// REQUIRES: a name on the wire.
ExportFormat export_format_of(std::string_view text);
ExportType export_type_of(std::string_view text);
ExportView export_view_of(std::string_view text);

// How long an export can be described, and its client token repeated. At kExportsMax of a scope a
// new export replaces the oldest that has ended.
inline constexpr std::chrono::hours kExportLife{24 * 90};
inline constexpr std::chrono::hours kExportTokenLife{8};
inline constexpr std::size_t kExportsMax = 1000;

// The time that an incremental export covers: from `from` on, before `to`.
struct ExportWindow {
  Timestamp from;
  Timestamp to;
  ExportView view = ExportView::NewAndOldImages;
};

// Members of the request; what it left out has its default, or is empty if it has none.
struct ExportRequest {
  std::string client_token;
  std::string fingerprint;  // any bytes; empty if the request had no token
  std::string bucket;
  std::optional<std::string> prefix;
  std::optional<std::string> bucket_owner;
  std::string sse_algorithm;
  std::optional<std::string> kms_key_id;
  ExportFormat format = ExportFormat::DynamodbJson;
  std::optional<ExportType> type;
  std::optional<ExportWindow> window;  // of an incremental export
  std::optional<std::string> filter;   // FilterSpecification, JSON; empty: all items
};

// The attributes of a record of an incremental export: an item's key, and the item before and after
// its changes, as binary values that hold records. The latter two are absent if there was no item.
inline constexpr std::string_view kExportKeys = "Keys";
inline constexpr std::string_view kOldImage = "OldImage";
inline constexpr std::string_view kNewImage = "NewImage";

// Its items are gathered in a space of its own first: a copy as of its time (ItemCopy), or the
// images of the items that changed in its window. Then they are written as objects.
struct ExportJob {
  std::string scope;  // which requests can use it (Isolation)
  std::string id;     // 01489602797149-73d8d5bc; in the order of their starts
  Table table;        // as it was
  ExportRequest request;
  Timestamp time;  // of the items; of an incremental export the end of its window
  Timestamp started;
  ExportStatus status = ExportStatus::InProgress;
  Timestamp ended;                // zero while it is in progress
  std::int64_t item_count = 0;    // written; Completed only
  std::int64_t size_bytes = 0;    // billed bytes of the items; Completed only
  std::string failure_code = {};  // Failed only
  std::string failure_message = {};
  storage::SpaceId space{};      // the items; a new export has space zero until it is applied
  std::optional<ItemCopy> copy;  // set while items are gathered

  bool is_in_progress() const { return status == ExportStatus::InProgress; }
  // Whether its items are complete, and to be written.
  bool is_ready() const { return is_in_progress() && !copy; }
  bool is_gone(Timestamp now) const { return !is_in_progress() && now >= ended.plus(kExportLife); }
  std::string arn() const;
  // The keys of its objects: "PREFIX/AWSDynamoDB/ID/NAME" and, for data files,
  // "PREFIX/AWSDynamoDB/ID/data/NAME", of incremental exports "PREFIX/AWSDynamoDB/data/NAME".
  std::string object_key(std::string_view name) const;
  std::string data_key(std::string_view name) const;
};

}  // namespace stator
