#include "engine/api/bulk_puts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/api/engine.h"
#include "engine/call/settings.h"
#include "engine/items/item_decision.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/maintenance/chores/piece_snapshot.h"
#include "engine/operations/items/item_operations.h"
#include "engine/operations/items/item_requests.h"
#include "engine/schema/capacity.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/descriptions/report_line_key.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

constexpr std::string_view kLine = "Line";
constexpr std::string_view kType = "Type";

const Operation& put_item() {
  const auto rows = item_operations().rows;
  return *std::find_if(rows.begin(), rows.end(),
                       [](const Operation& row) { return row.name == "PutItem"; });
}

// The records as plans of puts.
class ParsedRecords {
 public:
  ParsedRecords(const Engine& engine, const BulkJob& job, std::span<const BulkRecord> records)
      : records_(records) {
    call_.operation = &put_item();
    call_.caller.region = job.table.region;
    texts_.reserve(records.size());
    for (const BulkRecord& record : records) {
      std::string& text = texts_.emplace_back(record.text);
      parsed_.push_back(record.problem.empty() ? parse(engine, job.table, text)
                                               : Error::validation(record.problem));
    }
  }

  std::span<const BulkRecord> records() const { return records_; }
  const Result<const WritePlan*>& plan(std::size_t number) const { return parsed_[number]; }
  const Settings& settings() const { return *call_.settings; }

 private:
  Result<const WritePlan*> parse(const Engine& engine, const Table& table, std::string& text) {
    text.reserve(text.size() + kJsonSpareBytes);
    const auto root = read_json(text, call_.arena);
    if (!root || root->kind() != JsonNode::Kind::Object)
      return Error::validation("The record is not a JSON object");
    if (root->find("Item") == nullptr) return Error::validation("The record has no Item");
    std::vector<JsonMember> members{
        {"TableName", JsonNode::scalar(JsonNode::Kind::String, table.name)}};
    for (const JsonMember& member : root->members()) {
      constexpr std::array<std::string_view, 4> kKnown = {
          "Item", "ConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues"};
      if (std::find(kKnown.begin(), kKnown.end(), member.name) == kKnown.end())
        return Error::validation("The record has an unknown member: " + std::string(member.name));
      members.push_back(member);
    }
    const auto kept = call_.arena.allocate_array<JsonMember>(members.size());
    std::copy(members.begin(), members.end(), kept.begin());
    STATOR_CHECK(engine.parse(JsonNode::object(kept), call_));
    return &static_cast<const WriteRequest*>(call_.request)->plan;
  }

  const std::span<const BulkRecord> records_;
  Call call_;
  std::vector<std::string> texts_;
  std::vector<Result<const WritePlan*>> parsed_;
};

// Puts records in one commit.
class Putting {
 public:
  Putting(const ParsedRecords& parsed, const Table& table, BulkJob& job, ChorePiece& piece,
          BulkPut& put)
      : parsed_(parsed), table_(table), job_(job), piece_(piece), put_(put) {}

  Result<void> run(std::int64_t units_milli_max) {
    while (put_.record_count < parsed_.records().size() && put_.units_milli < units_milli_max) {
      const BulkRecord& record = parsed_.records()[put_.record_count];
      const auto& plan = parsed_.plan(put_.record_count);
      STATOR_CHECK(plan ? put(record, **plan) : fail(record, plan.error()));
      BulkProgress& progress = job_.progress;
      progress.object_key = record.object_key;
      progress.object_records = record.index + 1;
      progress.input_bytes = record.input_bytes;
      ++progress.item_count;
      ++put_.record_count;
    }
    return {};
  }

 private:
  Result<void> put(const BulkRecord& record, const WritePlan& plan) {
    const PieceSnapshot snapshot(piece_);
    const WriteContext context{snapshot.get(),
                               piece_.arena,
                               piece_.mutation.scratch(),
                               piece_.mutation.looking(),
                               parsed_.settings().item_collection_bytes_max,
                               nullptr};
    const auto key = locate(table_, plan);
    if (!key) return fail(record, key.error());
    const auto decision = decide(table_, *key, plan, context);
    if (!decision) return fail(record, decision.error());
    put_.units_milli += total_units_milli(decision->charges);
    if (decision->condition_failed) {
      STATOR_CHECK(report_condition(record, plan, *decision));
    } else {
      count(*decision);
      enter(*decision, piece_.mutation);
      STATOR_CHECK(piece_.apply());
    }
    piece_.mutation.clear();
    piece_.arena.reset();
    return {};
  }

  void count(const Decision& decision) {
    job_.progress.table_bytes +=
        static_cast<std::int64_t>(storage::EncodedItem(decision.record).size_bytes());
    for (const EntryChange& change : decision.local_entries) count_entry(change);
    for (const EntryChange& change : decision.global_entries) count_entry(change);
  }

  void count_entry(const EntryChange& change) {
    if (!change.put) return;
    const auto local =
        std::find_if(table_.local_indexes.begin(), table_.local_indexes.end(),
                     [&](const LocalIndex& index) { return index.space == change.space; });
    const bool is_local = local != table_.local_indexes.end();
    const GlobalIndex* global = is_local ? nullptr : table_.find_global_index(change.space);
    if (!is_local && global == nullptr) return;
    const std::string& name = is_local ? local->name : global->name;
    std::vector<BulkIndexBytes>& indexes = job_.progress.indexes;
    auto found = std::find_if(indexes.begin(), indexes.end(), [&](const BulkIndexBytes& one) {
      return one.is_local == is_local && one.name == name;
    });
    if (found == indexes.end()) found = indexes.insert(found, {name, is_local, 0});
    found->size_bytes +=
        static_cast<std::int64_t>(storage::EncodedItem(change.record).size_bytes());
  }

  // Errors of the store are not the record's.
  Result<void> fail(const BulkRecord& record, const Error& error) {
    if (error.code() == ErrorCode::InternalServerError)
      return Error(ErrorCode::InternalServerError, error.message());
    piece_.mutation.clear();
    ++job_.progress.error_count;
    if (!job_.request.report.has(BulkOutput::Error)) return {};
    std::string line;
    JsonWriter out(line);
    out.begin_object();
    write_place(out, record, error.message());
    out.end_object();
    return add_line(BulkOutput::Error, line);
  }

  Result<void> report_condition(const BulkRecord& record, const WritePlan& plan,
                                const Decision& decision) {
    ++job_.progress.condition_failure_count;
    if (!job_.request.report.has(BulkOutput::ConditionCheckFailure)) return {};
    std::string line;
    JsonWriter out(line);
    out.begin_object();
    write_place(out, record, "The conditional request failed");
    out.key("Item");
    out.before_value();
    append_item_json(out.out(), std::get<PutPlan>(plan).item);
    if (decision.before.exists()) {
      out.key("ExistingItem");
      out.before_value();
      storage::EncodedItem(decision.before.record()).append_json(out.out());
    }
    out.end_object();
    return add_line(BulkOutput::ConditionCheckFailure, line);
  }

  void write_place(JsonWriter& out, const BulkRecord& record, std::string_view message) const {
    out.key("itemS3Pointer");
    out.begin_object();
    out.member("bucket", std::string_view(job_.request.input.bucket));
    out.member("key", std::string_view(record.object_key));
    out.member("itemIndex", static_cast<std::int64_t>(record.index));
    out.end_object();
    out.key("errorMessages");
    out.begin_array();
    out.string(message);
    out.end_array();
  }

  Result<void> add_line(BulkOutput type, std::string_view line) {
    const std::array<Member, 2> item{Member{kLine, Value::string(line)},
                                     Member{kType, Value::string(to_text(type))}};
    std::string record;
    storage::encode_item(item, item_size_bytes(item), {piece_.now, storage::Origin::User}, record);
    const std::string sort = storage::ReportLineKey{job_.progress.report_lines++}.sort();
    return storage::put_record(piece_.transaction, {job_.space, storage::kReportPartition, sort},
                               record);
  }

  const ParsedRecords& parsed_;
  const Table& table_;
  BulkJob& job_;
  ChorePiece& piece_;
  BulkPut& put_;
};

// Finds the job and its table as they are, and puts the records.
Result<void> put_piece(const ParsedRecords& parsed, const BulkJob& seen,
                       std::int64_t total_input_bytes, std::int64_t units_milli_max,
                       ChorePiece& piece, BulkPut& put) {
  STATOR_TRY(auto job, storage::BulkJobs::find_in_progress(piece.transaction, seen.space));
  if (!job) {
    put.outcome = BulkPut::Outcome::Removed;
    return {};
  }
  if (job->status == BulkStatus::Cancelling) {
    put.outcome = BulkPut::Outcome::Cancelled;
    return {};
  }
  // Back at a mark since.
  if (job->progress.item_count != seen.progress.item_count) return {};
  const auto catalog = piece.batch.catalog();
  const Table* table = catalog->find(job->table.space);
  if (table == nullptr || table->deleting_until) {
    put.outcome = BulkPut::Outcome::TableGone;
    return {};
  }
  job->progress.total_input_bytes = total_input_bytes;
  STATOR_CHECK(Putting(parsed, *table, *job, piece, put).run(units_milli_max));
  piece.mutation.put_bulk_job(*std::move(job));
  return piece.apply();
}

}  // namespace

Result<std::vector<BulkJob>> bulk_puts_in_progress(const Snapshot& snapshot) {
  return storage::BulkJobs::all_in_progress(snapshot.transaction());
}

BulkPut put_bulk_records(Engine& engine, const BulkJob& job, std::span<const BulkRecord> records,
                         std::int64_t total_input_bytes, std::int64_t units_milli_max) {
  const ParsedRecords parsed(engine, job, records);
  BulkPut put;
  std::string why = "The items could not be committed";
  const auto work = [&](ChorePiece& piece) -> Result<void> {
    put = {};
    Result<void> result;
    try {
      result = put_piece(parsed, job, total_input_bytes, units_milli_max, piece, put);
    } catch (const storage::DamagedData& damage) {
      result = Error(ErrorCode::InternalServerError, damage.what());
    }
    if (!result) why = result.error().message();
    return result;
  };
  if (!engine.commit_piece(work, /*only_frees_space=*/false)) {
    put = {};
    put.outcome = BulkPut::Outcome::NotStored;
    put.why = std::move(why);
  }
  return put;
}

Result<std::vector<BulkReportLine>> next_report_lines(const Snapshot& snapshot, const BulkJob& job,
                                                      std::size_t bytes_max, std::uint64_t& next) {
  std::vector<BulkReportLine> lines;
  const std::string lower = storage::ReportLineKey{next}.sort();
  storage::RecordCursor cursor(snapshot.transaction(), job.space);
  STATOR_CHECK(
      cursor.seek_range(storage::kReportPartition, {lower, {}}, storage::Direction::Forward));
  std::size_t bytes = 0;
  for (auto stored = cursor.record(); stored && bytes < bytes_max; stored = cursor.record()) {
    Arena arena;
    const storage::EncodedItem encoded(*stored);
    const auto line = encoded.find(kLine, arena);
    const auto type = encoded.find(kType, arena);
    if (!line || !type)
      return Error(ErrorCode::InternalServerError, "a line of the report cannot be read");
    bytes += stored->size();
    lines.push_back({bulk_output_of(type->bytes()), std::string(line->bytes())});
    STATOR_CHECK(cursor.next());
  }
  next += lines.size();
  return lines;
}

bool end_bulk_put(Engine& engine, const BulkJob& job, const BulkEnd& end) {
  return engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
    STATOR_TRY(auto found, storage::BulkJobs::find_in_progress(piece.transaction, job.space));
    if (!found) return {};
    if (!end.failure_code.empty()) {
      found->status = BulkStatus::Failed;
    } else if (found->status == BulkStatus::Cancelling) {
      found->status = BulkStatus::Cancelled;
    } else {
      found->status =
          found->progress.error_count > 0 ? BulkStatus::CompletedWithErrors : BulkStatus::Completed;
    }
    found->ended = piece.now;
    found->progress.input_bytes = end.input_bytes;
    found->progress.total_input_bytes = end.total_input_bytes;
    found->failure_code = end.failure_code;
    found->failure_message = end.failure_message;
    piece.mutation.put_bulk_job(*std::move(found));
    return piece.apply();
  });
}

}  // namespace stator
