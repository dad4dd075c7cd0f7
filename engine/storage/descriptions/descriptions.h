// The stores of descriptions: backups, exports, imports and bulk puts, in the database Backups.
// engine/storage/FORMAT.md draws it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/schema/backup.h"
#include "engine/schema/bulk_job.h"
#include "engine/schema/export_job.h"
#include "engine/schema/import_job.h"
#include "engine/storage/descriptions/description_store.h"
#include "engine/storage/records/table_codec.h"

namespace stator::storage {

// The items of a backup are records of its own space. In progress: they are being copied there.
struct BackupFormat {
  using Value = Backup;
  static constexpr DescriptionKind kKind = DescriptionKind::Backup;
  static constexpr std::string_view kName = "a backup";
  static std::string encode(const Backup& value) { return encode_backup(value); }
  static std::optional<Backup> decode(std::string text) { return decode_backup(std::move(text)); }
  static bool is_in_progress(const Backup& value) { return value.copy.has_value(); }
};
using Backups = DescriptionStore<BackupFormat>;

// Until an export is written, its items are records of its own space.
struct ExportJobFormat {
  using Value = ExportJob;
  static constexpr DescriptionKind kKind = DescriptionKind::Export;
  static constexpr std::string_view kName = "an export";
  static std::string encode(const ExportJob& value) { return encode_export(value); }
  static std::optional<ExportJob> decode(std::string text) {
    return decode_export(std::move(text));
  }
  static bool is_in_progress(const ExportJob& value) { return value.is_in_progress(); }
};
using Exports = DescriptionStore<ExportJobFormat>;

// The space of an import is that of the table that it makes.
struct ImportJobFormat {
  using Value = ImportJob;
  static constexpr DescriptionKind kKind = DescriptionKind::Import;
  static constexpr std::string_view kName = "an import";
  static std::string encode(const ImportJob& value) { return encode_import(value); }
  static std::optional<ImportJob> decode(std::string text) {
    return decode_import(std::move(text));
  }
  static bool is_in_progress(const ImportJob& value) { return value.is_in_progress(); }
};
using Imports = DescriptionStore<ImportJobFormat>;

// The space of a bulk put has the lines of its report (report_line_key.h) until that is written.
struct BulkJobFormat {
  using Value = BulkJob;
  static constexpr DescriptionKind kKind = DescriptionKind::BulkJob;
  static constexpr std::string_view kName = "a bulk put";
  static std::string encode(const BulkJob& value) { return encode_bulk_job(value); }
  static std::optional<BulkJob> decode(std::string text) {
    return decode_bulk_job(std::move(text));
  }
  static bool is_in_progress(const BulkJob& value) { return value.is_in_progress(); }
};
using BulkJobs = DescriptionStore<BulkJobFormat>;

}  // namespace stator::storage
