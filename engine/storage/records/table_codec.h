// The stored forms of the descriptions of tables, backups, exports, imports, bulk puts and streams
// of Kinesis.
#pragma once

#include <optional>
#include <string>

#include "engine/schema/backup.h"
#include "engine/schema/bulk_job.h"
#include "engine/schema/export_job.h"
#include "engine/schema/import_job.h"
#include "engine/schema/kinesis.h"
#include "engine/schema/table.h"

namespace stator {

// The table as stored in the Tables database: JSON, so that members can be added without a new
// format (table_members.h lists them).
std::string encode_table(const Table& table);
// Empty if the text is no table (a damaged or foreign file).
std::optional<Table> decode_table(std::string text);

// A backup as stored in the Backups database; empty if the text is none.
std::string encode_backup(const Backup& backup);
std::optional<Backup> decode_backup(std::string text);

// An export as stored in the Backups database; empty if the text is none.
std::string encode_export(const ExportJob& job);
std::optional<ExportJob> decode_export(std::string text);

// An import, likewise.
std::string encode_import(const ImportJob& job);
std::optional<ImportJob> decode_import(std::string text);

// A bulk put, likewise.
std::string encode_bulk_job(const BulkJob& job);
std::optional<BulkJob> decode_bulk_job(std::string text);

// A stream of Kinesis, likewise.
std::string encode_kinesis_stream(const KinesisStream& stream);
std::optional<KinesisStream> decode_kinesis_stream(std::string text);

}  // namespace stator
