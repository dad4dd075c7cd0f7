// /_stator/capacity: shows the limits and the use of tables and their indexes, and changes how
// requests over the limits are treated.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/reports/reported_key.h"
#include "engine/reports/throughput_figures.h"
#include "engine/seams/iso_time.h"
#include "protocol/shapes/shape.h"
#include "protocol/values/value.h"
#include "server/admin/verbs.h"
#include "server/dispatch/live_settings.h"

namespace stator {

namespace {

using capacity::Dimension;
using capacity::Limit;
using capacity::ThroughputReport;

constexpr std::int64_t kPartitionsAskedMax = 1024;

constexpr std::pair<std::string_view, Throttling> kThrottlings[] = {
    {"off", Throttling::Off}, {"observe", Throttling::Observe}, {"enforce", Throttling::Enforce}};

std::string_view text_of(Throttling throttling) {
  for (const auto& [text, value] : kThrottlings) {
    if (value == throttling) return text;
  }
  return {};
}

// Writes `number` as units; `per` is 1,000 for thousandths and 1,000,000 for millionths.
void add_units(JsonWriter& json, std::string_view name, std::int64_t number, std::int64_t per) {
  json.key(name);
  json.decimal(static_cast<double>(number) / static_cast<double>(per));
}

// Writes the bucket's current tokens and its size.
void add_bucket(JsonWriter& json, std::string_view name, const ThroughputReport::Bucket& bucket) {
  add_units(json, name, bucket.balance_micro, capacity::kMicroPerUnit);
  add_units(json, std::string(name) + "_max", bucket.size_micro, capacity::kMicroPerUnit);
}

void add_side(JsonWriter& json, const ThroughputReport& report, bool is_index,
              Dimension dimension) {
  const auto& side = report.sides[static_cast<std::size_t>(dimension)];
  const bool is_read = dimension == Dimension::Read;
  json.key(is_read ? "read" : "write");
  json.begin_object();
  if (report.settings.mode == BillingMode::Provisioned) {
    const Throughput& provisioned = report.settings.provisioned;
    json.member("provisioned_units", is_read ? provisioned.read_units : provisioned.write_units);
    json.member("sufficient_units", side.sufficient_units);
  } else {
    const OnDemandThroughput& maximum = report.settings.maximum;
    if (const auto units = is_read ? maximum.max_read_units : maximum.max_write_units)
      json.member("maximum_units", *units);
    add_bucket(json, "account_tokens", side.account);
  }
  add_bucket(json, "tokens", side.own);
  json.member("warm_units", is_read ? report.warm.read_units : report.warm.write_units);
  add_units(json, "consumed_units", side.consumed_milli, kMilliPerUnit);
  add_units(json, "last_minute_units", side.minute_milli, kMilliPerUnit);
  add_units(json, "throttled_units", side.refused_milli, kMilliPerUnit);
  json.key("throttled");
  json.begin_object();
  for (std::size_t i = 0; i < capacity::kLimits; ++i) {
    if (side.refused[i] == 0) continue;
    json.member(to_text(capacity::ThrottlingReason{is_index, dimension, static_cast<Limit>(i)}),
                static_cast<std::int64_t>(side.refused[i]));
  }
  json.end_object();
  json.end_object();
}

// The sort key at which a partition begins; nothing if it begins with a whole hash.
void add_sort_key(JsonWriter& json, Type type, const std::string& sort) {
  if (sort.empty()) return;
  json.key("first_sort_key");
  json.before_value();
  Arena arena;
  const bool is_cut = sort.size() >= capacity::kPositionSortBytesMax;
  append_value_json(json.out(), reported_key({&type, 1}, sort, is_cut, arena).value);
}

// `next` is nullptr for the last partition.
void add_partition(JsonWriter& json, const ThroughputReport::Part& partition,
                   const ThroughputReport::Part* next, Type sort_key_type) {
  const std::uint32_t end = next == nullptr            ? capacity::kHashesEnd
                            : next->begin.sort.empty() ? next->begin.hash
                                                       : next->begin.hash + 1;
  json.begin_object();
  json.member("first_hash", static_cast<std::int64_t>(partition.begin.hash));
  json.member("last_hash", static_cast<std::int64_t>(end - 1));
  if (!partition.begin.sort.empty()) json.member("divides_collection", true);
  add_sort_key(json, sort_key_type, partition.begin.sort);
  json.member("bytes", partition.size_bytes);
  for (const Dimension dimension : {Dimension::Read, Dimension::Write}) {
    const auto& side = partition.sides[static_cast<std::size_t>(dimension)];
    json.key(dimension == Dimension::Read ? "read" : "write");
    json.begin_object();
    add_bucket(json, "tokens", side.limit);
    add_units(json, "last_minute_units", side.minute_milli, kMilliPerUnit);
    json.member("throttled", static_cast<std::int64_t>(side.refused));
    json.end_object();
  }
  json.end_object();
}

// Writes keys as the API does, the values of several attributes as a list.
void add_keys(JsonWriter& json, std::string_view name, std::span<const Type> types,
              const std::vector<capacity::KeySketch::Entry>& keys) {
  json.key(name);
  json.begin_array();
  for (const auto& entry : keys) {
    Arena arena;
    const ReportedKey key = reported_partition_key(types, entry.bytes, arena);
    json.begin_object();
    json.key("key");
    json.before_value();
    append_value_json(json.out(), key.value);
    if (key.is_cut) json.member("is_cut", true);
    add_units(json, "units", entry.units_milli, kMilliPerUnit);
    json.end_object();
  }
  json.end_array();
}

void add_splits(JsonWriter& json, std::string_view name, Type sort_key_type,
                const std::vector<capacity::PartitionSplit>& splits) {
  constexpr std::string_view kCauses[] = {"throughput", "heat", "size"};
  json.key(name);
  json.begin_array();
  for (const capacity::PartitionSplit& split : splits) {
    json.begin_object();
    json.member("time", iso_extended(split.at));
    json.member("cause", kCauses[static_cast<std::size_t>(split.cause)]);
    json.member("first_hash", static_cast<std::int64_t>(split.boundary.hash));
    add_sort_key(json, sort_key_type, split.boundary.sort);
    json.end_object();
  }
  json.end_array();
}

void add_warming(JsonWriter& json, const capacity::ScheduledThroughput& warming) {
  json.begin_object();
  json.member("time", iso_extended(warming.at));
  json.member("read_units", warming.to.read_units);
  json.member("write_units", warming.to.write_units);
  json.end_object();
}

// Changes that happen at a known time without a request.
void add_due(JsonWriter& json, const ThroughputReport& report) {
  if (report.warming) {
    json.key("warming");
    add_warming(json, *report.warming);
  }
  json.key("growths_due");
  json.begin_array();
  for (const capacity::ScheduledThroughput& growth : report.growths_due) add_warming(json, growth);
  json.end_array();
}

void add_figures(JsonWriter& json, const ThroughputStats& figures, Timestamp now) {
  const ThroughputReport report = figures.state->report(now);
  json.begin_object();
  json.member("region", figures.label.region);
  if (!figures.label.access_key.empty()) json.member("access_key", figures.label.access_key);
  json.member("table", figures.label.table);
  if (!figures.index.empty()) json.member("index", figures.index);
  json.member("throttling", text_of(figures.table->throttling.load()));
  json.member("billing_mode", to_text(report.settings.mode));
  json.member("is_warming", report.warming.has_value());
  for (const Dimension dimension : {Dimension::Read, Dimension::Write})
    add_side(json, report, !figures.index.empty(), dimension);
  json.key("limited_changes");
  json.begin_object();
  for (const LimitedChange change : {LimitedChange::Decrease, LimitedChange::OnDemandSwitch}) {
    const std::uint64_t number = limited_changes(figures, change);
    if (number > 0) json.member(to_text(change), static_cast<std::int64_t>(number));
  }
  json.end_object();
  json.key("partitions");
  json.begin_array();
  for (std::size_t i = 0; i < report.partitions.size(); ++i) {
    const bool is_last = i + 1 == report.partitions.size();
    add_partition(json, report.partitions[i], is_last ? nullptr : &report.partitions[i + 1],
                  figures.sort_key_type);
  }
  json.end_array();
  add_keys(json, "hottest_keys", figures.partition_key_types, report.accessed_keys);
  add_keys(json, "throttled_keys", figures.partition_key_types, report.throttled_keys);
  add_splits(json, "splits", figures.sort_key_type, report.splits);
  add_splits(json, "splits_due", figures.sort_key_type, report.splits_due);
  add_due(json, report);
  json.end_object();
}

AdminResponse told(const AdminRequest& request, std::span<const ThroughputStats> figures) {
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("tables");
  json.begin_array();
  for (const ThroughputStats& one : figures) {
    if (request.stop_condition.should_stop())
      return admin_error(503, "not all was read while this request could wait: ask again");
    add_figures(json, one, request.parts.engine.clock().now());
  }
  json.end_array();
  json.end_object();
  return answer;
}

Result<std::vector<ThroughputStats>> find_figures(const AdminRequest& request) {
  std::vector<ThroughputStats> figures;
  Engine::Reader reader(request.parts.engine);
  STATOR_CHECK(request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(figures, throughput_figures(snapshot, request.parts.settings.isolation));
    return {};
  }));
  return figures;
}

// The request's body.
struct CapacityChange {
  std::optional<std::string> region = {};
  std::optional<std::string> access_key = {};
  std::optional<std::string> table = {};
  std::optional<std::string> index = {};
  std::optional<Throttling> throttling = {};
  bool is_default = false;  // as for all tables, from now on
  std::uint32_t partitions = 0;

  bool means(const ThroughputStats& one) const {
    return (!table || *table == one.label.table) && (!index || *index == one.index) &&
           (!region || *region == one.label.region) &&
           (!access_key || *access_key == one.label.access_key);
  }
};

std::string missing_text(const CapacityChange& wanted) {
  std::string text = "there is no table '" + *wanted.table + "'";
  if (wanted.index) text += " with an index '" + *wanted.index + "'";
  if (wanted.region) text += " in Region '" + *wanted.region + "'";
  if (wanted.access_key) text += " of access key '" + *wanted.access_key + "'";
  return text;
}

// Returns what is invalid in the member; empty if nothing is.
std::string read_member(const JsonMember& member, CapacityChange& wanted) {
  const std::pair<std::string_view, std::optional<std::string>*> names[] = {
      {"region", &wanted.region},
      {"access_key", &wanted.access_key},
      {"table", &wanted.table},
      {"index", &wanted.index}};
  const bool is_text = member.value.kind() == JsonNode::Kind::String;
  for (const auto& [name, target] : names) {
    if (member.name != name) continue;
    if (!is_text) return std::string(name) + " is to be a string";
    *target = std::string(member.value.text());
    return {};
  }
  if (member.name == "throttling") {
    for (const auto& [text, value] : kThrottlings) {
      if (is_text && member.value.text() == text) wanted.throttling = value;
    }
    wanted.is_default = is_text && member.value.text() == "default";
    if (wanted.throttling || wanted.is_default) return {};
    return "throttling is to be off, observe, enforce or default";
  }
  if (member.name == "partitions") {
    const std::int64_t number =
        member.value.kind() == JsonNode::Kind::Integer ? integer_of(member.value) : 0;
    if (number < 1 || number > kPartitionsAskedMax)
      return "partitions is to be a number from 1 to 1024";
    wanted.partitions = static_cast<std::uint32_t>(number);
    return {};
  }
  return "the body may have the members table, index, region, access_key, throttling and "
         "partitions";
}

}  // namespace

AdminResponse show_capacity(AdminRequest& request) {
  const auto figures = find_figures(request);
  return figures ? told(request, *figures)
                 : admin_error(500, "the data cannot be read, see the log");
}

AdminResponse show_table_capacity(AdminRequest& request) {
  auto figures = find_figures(request);
  if (!figures) return admin_error(500, "the data cannot be read, see the log");
  std::erase_if(*figures, [&](const auto& one) { return one.label.table != request.name; });
  if (figures->empty()) return admin_error(404, missing_text({.table = std::string(request.name)}));
  return told(request, *figures);
}

AdminResponse set_capacity(AdminRequest& request) {
  CapacityChange wanted;
  if (request.body != nullptr) {
    for (const JsonMember& member : request.body->members()) {
      if (const std::string wrong = read_member(member, wanted); !wrong.empty())
        return admin_error(400, wrong);
    }
  }
  if (request.parts.settings.throttling == Throttling::Off)
    return admin_error(400, "the server was started with --throttling off and counts nothing");
  if (wanted.is_default) wanted.throttling = request.parts.live->now().throttling;
  auto figures = find_figures(request);
  if (!figures) return admin_error(500, "the data cannot be read, see the log");
  std::erase_if(*figures, [&](const auto& one) { return !wanted.means(one); });
  if (wanted.table && figures->empty()) return admin_error(404, missing_text(wanted));
  for (const ThroughputStats& one : *figures) {
    if (wanted.throttling) {
      one.table->throttling.store(*wanted.throttling);
      one.table->is_throttling_set.store(!wanted.is_default);
      one.state->mark_changed();
    }
    if (wanted.partitions > 0)
      one.state->divide(wanted.partitions, request.parts.engine.clock().now());
  }
  if (!request.parts.engine.persist_throughput())
    return admin_error(500, "it is changed, but could not be stored, see the log");
  return told(request, *figures);
}

}  // namespace stator
