#include "engine/data_folder/job_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/catalog/consumers.h"
#include "engine/catalog/primary_key.h"
#include "engine/indexes/backfill.h"
#include "engine/operations/exports/export_filter.h"
#include "engine/schema/space_stats.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/descriptions/report_line_key.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/counters.h"
#include "engine/storage/stores/item_store.h"
#include "engine/storage/stores/journal.h"
#include "protocol/json/json_reader.h"

namespace stator {
namespace {

using storage::Database;

class JobChecker {
 public:
  explicit JobChecker(const StoredState& state)
      : state_(state), transaction_(state.transaction), findings_(state.findings) {}

  Result<void> check() {
    for (const Backup& backup : state_.backups) STATOR_CHECK(check_backup(backup));
    for (const ExportJob& job : state_.exports) STATOR_CHECK(check_export(job));
    for (const ImportJob& job : state_.imports) check_import(job);
    for (const BulkJob& job : state_.bulk_jobs) STATOR_CHECK(check_bulk_job(job));
    for (const KinesisStream& stream : state_.kinesis_streams)
      STATOR_CHECK(check_kinesis_stream(stream));
    Result<void> checked;
    state_.catalog->for_each([&](const Table& table) {
      if (checked) checked = check_table_of_job(table);
    });
    return checked;
  }

 private:
  // Calls `visit(record)` with the sound records of a space. Returns what they come to.
  template <class Visit>
  Result<SpaceStats> visit_space(const std::string& where, std::string_view noun,
                                 storage::SpaceId space, const Visit& visit) {
    SpaceStats met;
    storage::RecordCursor cursor(transaction_, space);
    STATOR_CHECK(cursor.seek_first());
    for (auto record = cursor.record(); record; record = cursor.record()) {
      ++met.item_count;
      if (storage::is_valid_record(*record)) {
        met.size_bytes += static_cast<std::int64_t>(storage::EncodedItem(*record).size_bytes());
        arena_.reset();
        STATOR_CHECK(visit(*record));
      } else {
        findings_.add(where, std::string(noun) + " cannot be read");
      }
      STATOR_CHECK(cursor.next());
    }
    return met;
  }

  // Whether the record stands under the key that the attributes have in the table.
  Result<bool> stands_under_own_key(std::string_view record, storage::SpaceId space,
                                    const Table& table, Item keys) {
    try {
      const PrimaryKey key = key_of_stored(table, keys);
      STATOR_TRY(const auto found,
                 storage::find_record(transaction_, {space, key.partition, key.sort}));
      return found && found->data() == record.data();
    } catch (const storage::DamagedData&) {
      return false;  // it has no key
    }
  }

  Result<SpaceStats> check_items(const std::string& where, storage::SpaceId space,
                                 const Table& table) {
    return visit_space(where, "an item", space, [&](std::string_view record) -> Result<void> {
      const Item item = storage::EncodedItem(record).decode(arena_);
      STATOR_TRY(const bool is_own, stands_under_own_key(record, space, table, item));
      if (!is_own) findings_.add(where, "an item stands under another key");
      return {};
    });
  }

  void compare(const std::string& where, const SpaceStats& met, const SpaceStats& recorded) {
    if (met.item_count != recorded.item_count)
      findings_.add(where, std::to_string(met.item_count) + " are there, " +
                               std::to_string(recorded.item_count) + " are recorded");
    if (met.size_bytes != recorded.size_bytes)
      findings_.add(where, "has " + std::to_string(met.size_bytes) + " bytes, " +
                               std::to_string(recorded.size_bytes) + " are recorded");
  }

  // Everything that a copy still needs is retained.
  Result<void> check_copy(const std::string& where, const ItemCopy& copy, storage::SpaceId target) {
    STATOR_TRY(const auto purge,
               transaction_.find(Database::Purges, storage::SpaceKey{copy.source}.encode().view()));
    if (!purge && !state_.is_owned(copy.source))
      findings_.add(where, "copies " + place_of(copy.source) + ", which is not there");
    STATOR_TRY(const auto position,
               storage::consumer_position(transaction_, copy.source, copy_consumer(target)));
    if (position != copy.first_change)
      findings_.add(where, "the changes that its copy undoes are not retained");
    if (copy.undone_from && *copy.undone_from < copy.first_change)
      findings_.add(where, "its copy is behind its end");
    return {};
  }

  // The items of a complete backup are as many as its description says.
  Result<void> check_backup(const Backup& backup) {
    const std::string where = place_of(backup);
    const bool is_system = backup.type == BackupType::System;
    if (backup.expires.has_value() != is_system || (is_system && backup.copy))
      findings_.add(where, "is half of type USER, half of type SYSTEM");
    STATOR_TRY(const SpaceStats met, check_items(where, backup.space, backup.table));
    if (!backup.copy) {
      compare(where, met, {backup.item_count, backup.size_bytes});
      return {};
    }
    STATOR_TRY(const SpaceStats recorded, storage::find_stats(transaction_, backup.space));
    compare(where, met, recorded);
    return check_copy(where, *backup.copy, backup.space);
  }

  // What each kind of job says about its end.
  void check_end(const std::string& where, bool is_in_progress, bool has_failed, Timestamp ended,
                 std::string_view failure_code) {
    if (is_in_progress != (ended == Timestamp{}))
      findings_.add(where, "its status and its end do not fit");
    if (has_failed == failure_code.empty())
      findings_.add(where, "its status and its failure do not fit");
  }

  Result<void> check_export(const ExportJob& job) {
    const std::string where = place_of(job);
    check_end(where, job.is_in_progress(), job.status == ExportStatus::Failed, job.ended,
              job.failure_code);
    const bool is_incremental = job.request.type == ExportType::Incremental;
    if (is_incremental != job.request.window.has_value())
      findings_.add(where, "its type and its window do not fit");
    if (job.request.filter) {
      if (const auto filter = ExportFilter::read(*job.request.filter, job.table); !filter)
        findings_.add(where, filter.error());
    }
    if (!job.is_in_progress()) {
      if (job.copy) findings_.add(where, "has ended, and still copies");
      return {};
    }
    if (job.copy) STATOR_CHECK(check_copy(where, *job.copy, job.space));
    if (is_incremental) return check_images(where, job);
    STATOR_TRY(const SpaceStats met, check_items(where, job.space, job.table));
    STATOR_TRY(const SpaceStats recorded, storage::find_stats(transaction_, job.space));
    compare(where, met, recorded);
    return {};
  }

  // The records of an incremental export hold the key of an item, and records of it.
  Result<void> check_images(const std::string& where, const ExportJob& job) {
    const auto check_change = [&](std::string_view record) -> Result<void> {
      const storage::EncodedItem change(record);
      const auto keys = change.find(kExportKeys, arena_);
      const Item of_key = keys && keys->type() == Type::M ? keys->members() : Item();
      STATOR_TRY(const bool is_own, stands_under_own_key(record, job.space, job.table, of_key));
      if (!is_own) findings_.add(where, "a change stands under another key");
      for (const std::string_view name : {kNewImage, kOldImage}) {
        const auto image = change.find(name, arena_);
        if (image && (image->type() != Type::B || !storage::is_valid_record(image->bytes())))
          findings_.add(where, "a change has an image that cannot be read");
      }
      return {};
    };
    STATOR_CHECK(visit_space(where, "a change", job.space, check_change).map([](const auto&) {}));
    return {};
  }

  void check_import(const ImportJob& job) {
    const std::string where = place_of(job);
    check_end(where, job.is_in_progress(), job.status == ImportStatus::Failed, job.ended,
              job.failure_code);
    const ImportProgress& done = job.progress;
    // An object that cannot be read to its end is an error without an item.
    const bool adds_up = done.imported_items >= 0 && done.imported_items <= done.processed_items &&
                         done.processed_items - done.imported_items <= done.error_count;
    if (!adds_up)
      findings_.add(where, std::to_string(done.processed_items) + " items are not " +
                               std::to_string(done.imported_items) + " and " +
                               std::to_string(done.error_count) + " errors");
    for (const std::string* json : {&job.request.table_json, &job.request.options_json}) {
      if (!json->empty() && !is_json_object(*json))
        findings_.add(where, "its request cannot be read");
    }
  }

  static bool is_json_object(std::string text) {
    Arena arena;
    const auto root = read_json(text, arena);
    return root && root->kind() == JsonNode::Kind::Object;
  }

  // The report has a line for each failure that it is to tell.
  Result<void> check_bulk_job(const BulkJob& job) {
    const std::string where = place_of(job);
    check_end(where, job.is_in_progress(), job.status == BulkStatus::Failed, job.ended,
              job.failure_code);
    const BulkProgress& done = job.progress;
    if (done.error_count + done.condition_failure_count > done.item_count)
      findings_.add(where, "more items failed than were read");
    const std::int64_t told =
        (job.request.report.has(BulkOutput::Error) ? done.error_count : 0) +
        (job.request.report.has(BulkOutput::ConditionCheckFailure) ? done.condition_failure_count
                                                                   : 0);
    if (static_cast<std::int64_t>(done.report_lines) != told)
      findings_.add(where, std::to_string(told) + " failures are to be reported, " +
                               std::to_string(done.report_lines) + " lines are recorded");
    if (!job.is_in_progress()) return {};
    STATOR_TRY(const SpaceStats met,
               visit_space(where, "a line of its report", job.space,
                           [](std::string_view) -> Result<void> { return {}; }));
    for (std::uint64_t number = 0; number < static_cast<std::uint64_t>(met.item_count); ++number) {
      const std::string sort = storage::ReportLineKey{number}.sort();
      STATOR_TRY(const auto line,
                 storage::find_record(transaction_, {job.space, storage::kReportPartition, sort}));
      if (line) continue;
      findings_.add(where, "line " + std::to_string(number) + " of its report is missing");
      break;
    }
    if (static_cast<std::uint64_t>(met.item_count) != done.report_lines)
      findings_.add(where, "its report has " + std::to_string(met.item_count) + " lines, " +
                               std::to_string(done.report_lines) + " are recorded");
    return {};
  }

  Result<void> check_kinesis_stream(const KinesisStream& stream) {
    const std::string where = place_of(stream);
    storage::RecordCursor cursor(transaction_, stream.space);
    STATOR_CHECK(cursor.seek_first());
    for (auto bytes = cursor.record(); bytes; bytes = cursor.record()) {
      const auto record = storage::decode_kinesis_record(*bytes);
      if (!record) {
        findings_.add(where, record.error());
      } else if (record->number >= stream.next_record) {
        findings_.add(where, "a record has a number that is still to be given");
      }
      STATOR_CHECK(cursor.next());
    }
    return {};
  }

  // A table that a restore or an import makes.
  Result<void> check_table_of_job(const Table& table) {
    const std::string where = place_of(table);
    if (table.restore) STATOR_CHECK(check_copy(where, table.restore->copy, table.space));
    const bool is_imported =
        std::any_of(state_.imports.begin(), state_.imports.end(), [&](const ImportJob& job) {
          return job.is_in_progress() && job.space == table.space && job.scope == table.scope &&
                 job.table.name == table.name;
        });
    if (is_imported != (table.creating_until == kWhileImported))
      findings_.add(where, is_imported ? "an import fills it, though it is complete"
                                       : "waits for an import that is not in progress");
    return {};
  }

  const StoredState& state_;
  const storage::Transaction& transaction_;
  Findings& findings_;
  Arena arena_;
};

}  // namespace

Result<void> check_jobs(const StoredState& state) { return JobChecker(state).check(); }

}  // namespace stator
