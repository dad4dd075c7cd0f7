// The members of a table's description and of its parts, as they are stored: one line each, in the
// order of the stored text. The lines drive encoding, decoding (table_codec.cpp) and the codec's
// test. A member without a line does not compile.
//
// Members are only ever added, without a new format. So a line says how a record is read that was
// stored before its member existed:
//
//   required("name", &Table::name)      every record has it; a record without it is damaged
//   or_default("tags", &Table::tags)    may be absent; then the member has the default of table.h
//
// New members are `or_default`, except in a part that is new itself. The type of the member decides
// its JSON: text, integer, boolean, the wire name of an enumerator, microseconds of a time, an
// object for a part, an array for a vector. Empty optionals and zero times are not written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "engine/schema/backup.h"
#include "engine/schema/bulk_job.h"
#include "engine/schema/export_job.h"
#include "engine/schema/import_job.h"
#include "engine/schema/table.h"
#include "engine/storage/records/member_count.h"

namespace stator::members {

enum class Absent : std::uint8_t { Damaged, Default };

enum class Form : std::uint8_t {
  Value,      // as the type says
  Bytes,      // a string of any bytes: Base64
  WhenTrue,   // a bool that is written only if true
  WhenFalse,  // a bool whose opposite is written, only if it is false
  Spread,     // a part whose members stand beside those of its owner
  NotStored,
};

// Value and Form of a member `at` of Object.
template <class Object, class Value, Form kForm>
struct Line {
  std::string_view name;  // Spread: the name whose presence says that the optional part is set
  Value Object::*at;
  Absent absent;
};

// The line's member is written only if the optional member `owner` is set.
template <class Object, class Owner, class Inner>
struct LineBeside {
  std::optional<Owner> Object::*owner;
  Inner line;
};

template <class Object, class Value>
consteval auto required(std::string_view name, Value Object::*at) {
  return Line<Object, Value, Form::Value>{name, at, Absent::Damaged};
}
template <class Object, class Value>
consteval auto or_default(std::string_view name, Value Object::*at) {
  return Line<Object, Value, Form::Value>{name, at, Absent::Default};
}
template <class Object>
consteval auto required_bytes(std::string_view name, std::string Object::*at) {
  return Line<Object, std::string, Form::Bytes>{name, at, Absent::Damaged};
}
template <class Object>
consteval auto when_true(std::string_view name, bool Object::*at) {
  return Line<Object, bool, Form::WhenTrue>{name, at, Absent::Default};
}
template <class Object>
consteval auto when_false(std::string_view name, bool Object::*at) {
  return Line<Object, bool, Form::WhenFalse>{name, at, Absent::Default};
}
template <class Object, class Part>
consteval auto spread(Part Object::*at) {
  return Line<Object, Part, Form::Spread>{{}, at, Absent::Default};
}
template <class Object, class Part>
consteval auto spread(std::optional<Part> Object::*at, std::string_view set_if) {
  return Line<Object, std::optional<Part>, Form::Spread>{set_if, at, Absent::Default};
}
template <class Object, class Value>
consteval auto not_stored(Value Object::*at) {
  return Line<Object, Value, Form::NotStored>{{}, at, Absent::Default};
}
template <class Object, class Owner, class Inner>
consteval auto beside(std::optional<Owner> Object::*owner, Inner line) {
  return LineBeside<Object, Owner, Inner>{owner, line};
}

template <class Object, class... Lines>
consteval auto all_of(Lines... lines) {
  static_assert(sizeof...(Lines) == member_count<Object>(),
                "each member of the type needs a line here, not_stored() included");
  return std::tuple<Lines...>{lines...};
}

// The lines of a type; nullptr for types without.
template <class Object>
inline constexpr auto kLines = nullptr;

template <>
inline constexpr auto kLines<KeyAttribute> =
    all_of<KeyAttribute>(required("name", &KeyAttribute::name),   //
                         required("type", &KeyAttribute::type));  // S, N or B

template <>
inline constexpr auto kLines<Throughput> = all_of<Throughput>(
    or_default("read", &Throughput::read_units), or_default("write", &Throughput::write_units));

template <>
inline constexpr auto kLines<ThroughputHistory> =
    all_of<ThroughputHistory>(or_default("last_increase", &ThroughputHistory::last_increase),
                              or_default("last_decrease", &ThroughputHistory::last_decrease),
                              or_default("decreases_today", &ThroughputHistory::decreases_today));

template <>
inline constexpr auto kLines<OnDemandThroughput> = all_of<OnDemandThroughput>(
    or_default("on_demand_read_max", &OnDemandThroughput::max_read_units),
    or_default("on_demand_write_max", &OnDemandThroughput::max_write_units));

template <>
inline constexpr auto kLines<ThroughputSettings> = all_of<ThroughputSettings>(
    required("billing_mode", &ThroughputSettings::billing_mode),
    or_default("shows_billing_mode", &ThroughputSettings::shows_billing_mode),
    or_default("last_on_demand", &ThroughputSettings::last_on_demand),
    required("throughput", &ThroughputSettings::throughput),
    required("history", &ThroughputSettings::history),
    required("table_class", &ThroughputSettings::table_class),
    or_default("shows_table_class", &ThroughputSettings::shows_table_class),
    or_default("last_table_class", &ThroughputSettings::last_table_class));

template <>
inline constexpr auto kLines<ContributorInsights> =
    all_of<ContributorInsights>(or_default("is_enabled", &ContributorInsights::is_enabled),
                                required("mode", &ContributorInsights::mode),
                                or_default("changed", &ContributorInsights::changed),
                                or_default("changing_until", &ContributorInsights::changing_until));

template <>
inline constexpr auto kLines<Projection> =
    all_of<Projection>(required("projection", &Projection::type),
                       or_default("non_key_attributes", &Projection::non_key_attributes));

template <>
inline constexpr auto kLines<LocalIndex> =
    all_of<LocalIndex>(required("name", &LocalIndex::name),  //
                       or_default("space", &LocalIndex::space),
                       or_default("partition_keys", &LocalIndex::partition_keys),
                       or_default("sort_keys", &LocalIndex::sort_keys),  //
                       spread(&LocalIndex::projection));

template <>
inline constexpr auto kLines<IndexBuild> =
    all_of<IndexBuild>(or_default("allocating_until", &IndexBuild::allocating_until),
                       required_bytes("done_partition", &IndexBuild::done_partition),
                       required_bytes("done_sort", &IndexBuild::done_sort));

template <>
inline constexpr auto kLines<GlobalIndex> = all_of<GlobalIndex>(
    required("name", &GlobalIndex::name),      //
    or_default("space", &GlobalIndex::space),  //
    not_stored(&GlobalIndex::runtime), or_default("partition_keys", &GlobalIndex::partition_keys),
    or_default("sort_keys", &GlobalIndex::sort_keys),  //
    spread(&GlobalIndex::projection),                  //
    required("throughput", &GlobalIndex::throughput),
    or_default("throughput_before", &GlobalIndex::throughput_before),
    required("history", &GlobalIndex::history),
    or_default("updating_until", &GlobalIndex::updating_until),
    spread(&GlobalIndex::on_demand),  //
    required("warm", &GlobalIndex::warm), or_default("warm_to", &GlobalIndex::warm_to),
    beside(&GlobalIndex::warm_to,
           or_default("warm_updating_until", &GlobalIndex::warm_updating_until)),
    or_default("insights", &GlobalIndex::insights),  //
    or_default("build", &GlobalIndex::build),
    or_default("deleting_until", &GlobalIndex::deleting_until));

template <>
inline constexpr auto kLines<FormerPolicy> = all_of<FormerPolicy>(
    required("document", &FormerPolicy::document),
    required("revision_ms", &FormerPolicy::revision_ms), or_default("until", &FormerPolicy::until));

template <>
inline constexpr auto kLines<ResourcePolicy> =
    all_of<ResourcePolicy>(required("document", &ResourcePolicy::document),
                           required("revision_ms", &ResourcePolicy::revision_ms),
                           or_default("former", &ResourcePolicy::former));

template <>
inline constexpr auto kLines<StreamSettings> =
    all_of<StreamSettings>(required("stream_view_type", &StreamSettings::view_type),
                           required("stream_label", &StreamSettings::label),
                           or_default("stream_number", &StreamSettings::number),
                           or_default("stream_changing_until", &StreamSettings::changing_until),
                           when_false("stream_is_disabled", &StreamSettings::is_enabled),
                           or_default("stream_policy", &StreamSettings::policy));

template <>
inline constexpr auto kLines<ExpiryBuild> =
    all_of<ExpiryBuild>(required_bytes("done_partition", &ExpiryBuild::done_partition),
                        required_bytes("done_sort", &ExpiryBuild::done_sort));

template <>
inline constexpr auto kLines<TimeToLive> =
    all_of<TimeToLive>(or_default("is_enabled", &TimeToLive::is_enabled),
                       required("attribute_name", &TimeToLive::attribute_name),
                       or_default("changed", &TimeToLive::changed),
                       or_default("changing_until", &TimeToLive::changing_until),
                       or_default("space", &TimeToLive::space),  //
                       or_default("build", &TimeToLive::build));

template <>
inline constexpr auto kLines<Encryption> =
    all_of<Encryption>(required("kms_key_arn", &Encryption::kms_key_arn),
                       or_default("encryption_updating_until", &Encryption::updating_until),
                       when_true("encryption_is_ending", &Encryption::is_ending));

template <>
inline constexpr auto kLines<ItemCopy> = all_of<ItemCopy>(
    required("source", &ItemCopy::source), required("first_change", &ItemCopy::first_change),
    required_bytes("done_partition", &ItemCopy::done_partition),
    required_bytes("done_sort", &ItemCopy::done_sort),
    or_default("undone_from", &ItemCopy::undone_from));

template <>
inline constexpr auto kLines<PointInTimeRecovery> =
    all_of<PointInTimeRecovery>(or_default("enabled", &PointInTimeRecovery::enabled),
                                required("period_days", &PointInTimeRecovery::period_days),
                                or_default("earliest", &PointInTimeRecovery::earliest),
                                or_default("space", &PointInTimeRecovery::space));

template <>
inline constexpr auto kLines<Restore> = all_of<Restore>(
    required("copy", &Restore::copy), required("backup_arn", &Restore::backup_arn),
    required("table_arn", &Restore::table_arn), or_default("moment", &Restore::moment));

template <>
inline constexpr auto kLines<KinesisDestination> = all_of<KinesisDestination>(
    required("stream_arn", &KinesisDestination::stream_arn),
    required("state", &KinesisDestination::state),
    or_default("reason", &KinesisDestination::reason),
    or_default("precision", &KinesisDestination::precision),
    or_default("number", &KinesisDestination::number), or_default("end", &KinesisDestination::end),
    or_default("changing_until", &KinesisDestination::changing_until),
    when_true("is_updating", &KinesisDestination::is_updating));

template <>
inline constexpr auto kLines<Table> = all_of<Table>(
    required("scope", &Table::scope),            //
    required("name", &Table::name),              //
    required("region", &Table::region),          //
    required("account_id", &Table::account_id),  //
    required("id", &Table::id),                  //
    or_default("space", &Table::space),          //
    not_stored(&Table::runtime),                 //
    or_default("created", &Table::created),
    or_default("attribute_definitions", &Table::attribute_definitions),
    required("partition_key", &Table::partition_key),  //
    or_default("sort_key", &Table::sort_key), or_default("local_indexes", &Table::local_indexes),
    or_default("global_indexes", &Table::global_indexes), required("settings", &Table::settings),
    or_default("settings_before", &Table::settings_before),  //
    spread(&Table::on_demand),                               //
    required("warm", &Table::warm),                          //
    or_default("warm_to", &Table::warm_to),
    or_default("warm_updating_until", &Table::warm_updating_until),
    or_default("deletion_protection", &Table::deletion_protection),
    spread(&Table::stream, "stream_label"),            //
    spread(&Table::encryption, "kms_key_arn"),         //
    or_default("time_to_live", &Table::time_to_live),  //
    or_default("insights", &Table::insights),          //
    or_default("tags", &Table::tags), or_default("policy", &Table::policy),
    or_default("recovery", &Table::recovery), or_default("restore", &Table::restore),
    or_default("kinesis", &Table::kinesis),  //
    or_default("creating_until", &Table::creating_until),
    or_default("updating_until", &Table::updating_until),
    or_default("deleting_until", &Table::deleting_until));

template <>
inline constexpr auto kLines<Backup> = all_of<Backup>(
    required("scope", &Backup::scope),  //
    required("id", &Backup::id),        //
    required("name", &Backup::name),    //
    required("type", &Backup::type),    //
    or_default("created", &Backup::created), or_default("expires", &Backup::expires),
    required("table", &Backup::table),  //
    required("item_count", &Backup::item_count), required("size_bytes", &Backup::size_bytes),
    required("space", &Backup::space),  //
    or_default("copy", &Backup::copy), or_default("creating_until", &Backup::creating_until));

template <>
inline constexpr auto kLines<ExportWindow> = all_of<ExportWindow>(
    or_default("from", &ExportWindow::from), or_default("to", &ExportWindow::to),
    required("view", &ExportWindow::view));

template <>
inline constexpr auto kLines<ExportRequest> = all_of<ExportRequest>(
    required("client_token", &ExportRequest::client_token),
    required_bytes("fingerprint", &ExportRequest::fingerprint),
    required("bucket", &ExportRequest::bucket), or_default("prefix", &ExportRequest::prefix),
    or_default("bucket_owner", &ExportRequest::bucket_owner),
    required("sse_algorithm", &ExportRequest::sse_algorithm),
    or_default("kms_key_id", &ExportRequest::kms_key_id),
    required("format", &ExportRequest::format), or_default("type", &ExportRequest::type),
    or_default("window", &ExportRequest::window), or_default("filter", &ExportRequest::filter));

template <>
inline constexpr auto kLines<ExportJob> = all_of<ExportJob>(
    required("scope", &ExportJob::scope),      //
    required("id", &ExportJob::id),            //
    required("table", &ExportJob::table),      //
    required("request", &ExportJob::request),  //
    or_default("time", &ExportJob::time), or_default("started", &ExportJob::started),
    required("status", &ExportJob::status), or_default("ended", &ExportJob::ended),
    required("item_count", &ExportJob::item_count), required("size_bytes", &ExportJob::size_bytes),
    required("failure_code", &ExportJob::failure_code),
    required("failure_message", &ExportJob::failure_message),
    required("space", &ExportJob::space),  //
    or_default("copy", &ExportJob::copy));

template <>
inline constexpr auto kLines<ImportRequest> = all_of<ImportRequest>(
    required("client_token", &ImportRequest::client_token),
    required("bucket", &ImportRequest::bucket),
    required("bucket_owner", &ImportRequest::bucket_owner),
    or_default("prefix", &ImportRequest::prefix), required("format", &ImportRequest::format),
    required("compression", &ImportRequest::compression),
    required("delimiter", &ImportRequest::delimiter), or_default("header", &ImportRequest::header),
    required("options_json", &ImportRequest::options_json),
    required("table_json", &ImportRequest::table_json));

template <>
inline constexpr auto kLines<ImportProgress> =
    all_of<ImportProgress>(required_bytes("object_key", &ImportProgress::object_key),
                           required("object_records", &ImportProgress::object_records),
                           when_true("is_object_read", &ImportProgress::is_object_read),
                           required("object_bytes", &ImportProgress::object_bytes),
                           required("processed_items", &ImportProgress::processed_items),
                           required("imported_items", &ImportProgress::imported_items),
                           required("error_count", &ImportProgress::error_count),
                           required("processed_bytes", &ImportProgress::processed_bytes));

template <>
inline constexpr auto kLines<ImportJob> = all_of<ImportJob>(
    required("scope", &ImportJob::scope),      //
    required("id", &ImportJob::id),            //
    required("table", &ImportJob::table),      //
    required("request", &ImportJob::request),  //
    or_default("started", &ImportJob::started), required("status", &ImportJob::status),
    or_default("ended", &ImportJob::ended), required("progress", &ImportJob::progress),
    required("failure_code", &ImportJob::failure_code),
    required("failure_message", &ImportJob::failure_message), required("space", &ImportJob::space));

template <>
inline constexpr auto kLines<BulkInput> = all_of<BulkInput>(
    required("bucket", &BulkInput::bucket), or_default("prefix", &BulkInput::prefix),
    or_default("bucket_owner", &BulkInput::bucket_owner), required("format", &BulkInput::format),
    required("compression", &BulkInput::compression));

template <>
inline constexpr auto kLines<BulkReport> = all_of<BulkReport>(
    required("bucket", &BulkReport::bucket), or_default("prefix", &BulkReport::prefix),
    or_default("bucket_owner", &BulkReport::bucket_owner),
    required("sse_algorithm", &BulkReport::sse_algorithm),
    or_default("kms_key_id", &BulkReport::kms_key_id), required("types", &BulkReport::types));

template <>
inline constexpr auto kLines<BulkRequest> = all_of<BulkRequest>(
    required("client_token", &BulkRequest::client_token),
    required_bytes("fingerprint", &BulkRequest::fingerprint),
    required("input", &BulkRequest::input), required("report", &BulkRequest::report),
    or_default("units_per_second_max", &BulkRequest::units_per_second_max),
    required("tier", &BulkRequest::tier));

template <>
inline constexpr auto kLines<BulkIndexBytes> = all_of<BulkIndexBytes>(
    required("name", &BulkIndexBytes::name), when_true("is_local", &BulkIndexBytes::is_local),
    required("size_bytes", &BulkIndexBytes::size_bytes));

template <>
inline constexpr auto kLines<BulkProgress> = all_of<BulkProgress>(
    required("object_key", &BulkProgress::object_key),
    required("object_records", &BulkProgress::object_records),
    required("item_count", &BulkProgress::item_count),
    required("error_count", &BulkProgress::error_count),
    required("condition_failure_count", &BulkProgress::condition_failure_count),
    required("input_bytes", &BulkProgress::input_bytes),
    required("total_input_bytes", &BulkProgress::total_input_bytes),
    required("table_bytes", &BulkProgress::table_bytes),
    required("indexes", &BulkProgress::indexes),
    required("report_lines", &BulkProgress::report_lines));

template <>
inline constexpr auto kLines<BulkJob> = all_of<BulkJob>(
    required("scope", &BulkJob::scope),      //
    required("id", &BulkJob::id),            //
    required("table", &BulkJob::table),      //
    required("request", &BulkJob::request),  //
    or_default("started", &BulkJob::started), required("status", &BulkJob::status),
    or_default("ended", &BulkJob::ended), required("progress", &BulkJob::progress),
    required("failure_code", &BulkJob::failure_code),
    required("failure_message", &BulkJob::failure_message), required("space", &BulkJob::space));

template <>
inline constexpr auto kLines<KinesisStream> =
    all_of<KinesisStream>(required("scope", &KinesisStream::scope),            //
                          required("name", &KinesisStream::name),              //
                          required("region", &KinesisStream::region),          //
                          required("account_id", &KinesisStream::account_id),  //
                          required("space", &KinesisStream::space),            //
                          or_default("created", &KinesisStream::created),
                          required("shard_count", &KinesisStream::shard_count),
                          when_true("is_on_demand", &KinesisStream::is_on_demand),
                          required("next_record", &KinesisStream::next_record),
                          or_default("creating_until", &KinesisStream::creating_until),
                          or_default("deleting_until", &KinesisStream::deleting_until),
                          or_default("tags", &KinesisStream::tags));

template <class T>
concept Part = !std::is_same_v<const std::nullptr_t, decltype(kLines<T>)>;

// Calls `visit` with each line of the type, in order.
template <Part Object, class Visit>
constexpr void visit_lines(Visit visit) {
  std::apply([&](const auto&... line) { (visit(line), ...); }, kLines<Object>);
}

}  // namespace stator::members
