#include "server/templates/plan/update_steps.h"

#include <set>
#include <string_view>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/templates/plan/table_changes.h"

namespace stator::templates {

namespace {

using Wait = Step::Wait;

struct UnitNames {
  std::string_view member;
  std::string_view read;
  std::string_view write;
};
constexpr UnitNames kThroughput = {"ProvisionedThroughput", "ReadCapacityUnits",
                                   "WriteCapacityUnits"};
constexpr UnitNames kOnDemand = {"OnDemandThroughput", "MaxReadRequestUnits",
                                 "MaxWriteRequestUnits"};
constexpr UnitNames kWarm = {"WarmThroughput", "ReadUnitsPerSecond", "WriteUnitsPerSecond"};

void write_units(JsonWriter& json, const UnitNames& names, UnitsShape units) {
  json.key(names.member);
  json.begin_object();
  json.member(names.read, units.read);
  json.member(names.write, units.write);
  json.end_object();
}

void write_new_index(JsonWriter& json, const std::string& name, const IndexShape& index,
                     bool is_on_demand) {
  json.member("IndexName", name);
  json.key("KeySchema");
  json.begin_array();
  for (const KeyShape& key : index.keys) {
    json.begin_object();
    json.member("AttributeName", key.name);
    json.member("KeyType", key.is_range ? "RANGE" : "HASH");
    json.end_object();
  }
  json.end_array();
  json.key("Projection");
  json.begin_object();
  json.member("ProjectionType", index.projection);
  if (!index.attributes.empty()) {
    json.key("NonKeyAttributes");
    json.begin_array();
    for (const std::string& attribute : index.attributes) json.string(attribute);
    json.end_array();
  }
  json.end_object();
  if (!is_on_demand) write_units(json, kThroughput, index.throughput);
  if (is_on_demand && index.limit != kNoLimit) write_units(json, kOnDemand, index.limit);
  if (index.warm) write_units(json, kWarm, *index.warm);
}

class Steps {
 public:
  Steps(TableShape wanted, const TableState& there)
      : wanted_{std::move(wanted)}, there_{there.shape}, state_{there} {}

  std::vector<Step> run() {
    delete_indexes();
    change_throughput();
    change_index_limits();
    change_stream();
    change_settings();
    create_indexes();
    raise_warm();
    if (state_.knows_ttl) change_ttl();
    if (state_.knows_tags) change_tags();
    if (!wanted_.policy.empty() && wanted_.policy != there_.policy) put_policy();
    if (is_recovery_changed(wanted_, there_)) change_recovery();
    change_insights();
    if (is_kinesis_changed(wanted_, there_)) change_kinesis();
    return std::move(steps_);
  }

 private:
  // Adds a request whose body begins with the member that names the table.
  template <class Write>
  void add(std::string_view operation, Wait wait, const Write& write,
           std::string_view table_member = "TableName") {
    Step step{std::string(operation), {}, wait};
    JsonWriter json{step.body};
    json.begin_object();
    json.member(table_member, table_member == "TableName" ? there_.name : state_.arn);
    write(json);
    json.end_object();
    steps_.push_back(std::move(step));
  }
  template <class Write>
  void update(const Write& write) {
    add("UpdateTable", Wait::Active, write);
  }
  // An UpdateTable with one action on an index.
  template <class Write>
  void update_index(std::string_view action, const Write& write) {
    update([&](JsonWriter& json) {
      json.key("GlobalSecondaryIndexUpdates");
      json.begin_array();
      json.begin_object();
      json.key(action);
      json.begin_object();
      write(json);
      json.end_object();
      json.end_object();
      json.end_array();
    });
  }
  // One UpdateTable for several indexes; `units` returns the member to write, if any.
  template <class Units>
  void write_index_updates(JsonWriter& json, const UnitNames& names,
                           const std::set<std::string>& changed, const Units& units) {
    if (changed.empty()) return;
    json.key("GlobalSecondaryIndexUpdates");
    json.begin_array();
    for (const std::string& name : changed) {
      json.begin_object();
      json.key("Update");
      json.begin_object();
      json.member("IndexName", name);
      write_units(json, names, units(wanted_.global_indexes.at(name)));
      json.end_object();
      json.end_object();
    }
    json.end_array();
  }

  bool is_retained(const std::string& name) const {
    const auto old = there_.global_indexes.find(name);
    const auto wanted = wanted_.global_indexes.find(name);
    return old != there_.global_indexes.end() && wanted != wanted_.global_indexes.end() &&
           wanted->second.has_same_entries(old->second);
  }

  // The names of indexes that stay and for which `differs` holds.
  template <class Differs>
  std::set<std::string> retained_where(const Differs& differs) const {
    std::set<std::string> names;
    for (const auto& [name, index] : wanted_.global_indexes)
      if (is_retained(name) && differs(index, there_.global_indexes.at(name))) names.insert(name);
    return names;
  }

  void delete_indexes() {
    for (const auto& [name, index] : there_.global_indexes) {
      if (is_retained(name)) continue;
      update_index("Delete", [&name = name](JsonWriter& json) { json.member("IndexName", name); });
    }
  }

  // Billing mode, throughput and that of indexes go together.
  void change_throughput() {
    const bool is_switch = wanted_.is_on_demand != there_.is_on_demand;
    const auto units = [](const IndexShape& index) { return index.throughput; };
    if (wanted_.is_on_demand) {
      if (!is_switch && wanted_.limit == there_.limit) return;
      update([&](JsonWriter& json) {
        if (is_switch) json.member("BillingMode", "PAY_PER_REQUEST");
        if (wanted_.limit != there_.limit) write_units(json, kOnDemand, wanted_.limit);
      });
      return;
    }
    const auto changed = retained_where([&](const IndexShape& wanted, const IndexShape& old) {
      return is_switch || wanted.throughput != old.throughput;
    });
    const bool changes_table = is_switch || wanted_.throughput != there_.throughput;
    if (!changes_table && changed.empty()) return;
    update([&](JsonWriter& json) {
      if (is_switch) json.member("BillingMode", "PROVISIONED");
      if (changes_table) write_units(json, kThroughput, wanted_.throughput);
      write_index_updates(json, kThroughput, changed, units);
    });
  }

  void change_index_limits() {
    if (!wanted_.is_on_demand) return;
    const auto changed = retained_where(
        [](const IndexShape& wanted, const IndexShape& old) { return wanted.limit != old.limit; });
    if (changed.empty()) return;
    update([&](JsonWriter& json) {
      write_index_updates(json, kOnDemand, changed,
                          [](const IndexShape& index) { return index.limit; });
    });
  }

  // The view of a stream cannot change: it goes off first.
  void change_stream() {
    if (wanted_.stream == there_.stream) return;
    const auto set = [this](const std::string& view) {
      update([&view](JsonWriter& json) {
        json.key("StreamSpecification");
        json.begin_object();
        json.member("StreamEnabled", !view.empty());
        if (!view.empty()) json.member("StreamViewType", view);
        json.end_object();
      });
    };
    if (!there_.stream.empty()) set({});
    if (!wanted_.stream.empty()) set(wanted_.stream);
  }

  void change_settings() {
    if (wanted_.table_class != there_.table_class)
      update([&](JsonWriter& json) { json.member("TableClass", wanted_.table_class); });
    if (wanted_.is_protected != there_.is_protected) {
      update([&](JsonWriter& json) {
        json.member("DeletionProtectionEnabled", wanted_.is_protected);
      });
    }
    if (wanted_.is_encrypted != there_.is_encrypted) {
      update([&](JsonWriter& json) {
        json.key("SSESpecification");
        json.begin_object();
        json.member("Enabled", wanted_.is_encrypted);
        if (wanted_.is_encrypted) json.member("SSEType", "KMS");
        json.end_object();
      });
    }
  }

  void create_indexes() {
    for (const auto& [name, index] : wanted_.global_indexes) {
      if (is_retained(name)) continue;
      update([&, &name = name, &index = index](JsonWriter& json) {
        json.key("AttributeDefinitions");
        json.begin_array();
        for (const KeyShape& key : index.keys) {
          json.begin_object();
          json.member("AttributeName", key.name);
          json.member("AttributeType", key.type);
          json.end_object();
        }
        json.end_array();
        json.key("GlobalSecondaryIndexUpdates");
        json.begin_array();
        json.begin_object();
        json.key("Create");
        json.begin_object();
        write_new_index(json, name, index, wanted_.is_on_demand);
        json.end_object();
        json.end_object();
        json.end_array();
      });
    }
  }

  void raise_warm() {
    if (is_warmer(wanted_.warm, there_.warm))
      update([&](JsonWriter& json) { write_units(json, kWarm, *wanted_.warm); });
    for (const auto& [name, index] : wanted_.global_indexes) {
      if (!is_retained(name) || !is_warmer(index.warm, there_.global_indexes.at(name).warm))
        continue;
      update_index("Update", [&name = name, &index = index](JsonWriter& json) {
        json.member("IndexName", name);
        write_units(json, kWarm, *index.warm);
      });
    }
  }

  void change_ttl() {
    const auto set = [this](const std::string& attribute, bool is_enabled, Wait wait) {
      add("UpdateTimeToLive", wait, [&](JsonWriter& json) {
        json.key("TimeToLiveSpecification");
        json.begin_object();
        json.member("AttributeName", attribute);
        json.member("Enabled", is_enabled);
        json.end_object();
      });
    };
    if (wanted_.ttl_attribute == there_.ttl_attribute) return;
    if (!there_.ttl_attribute.empty()) set(there_.ttl_attribute, false, Wait::TimeToLive);
    if (!wanted_.ttl_attribute.empty()) set(wanted_.ttl_attribute, true, Wait::No);
  }

  void change_tags() {
    std::map<std::string, std::string> added;
    std::set<std::string> removed;
    for (const auto& [key, value] : wanted_.tags) {
      const auto old = there_.tags.find(key);
      if (old == there_.tags.end() || old->second != value) added[key] = value;
    }
    for (const auto& [key, value] : there_.tags)
      if (!wanted_.tags.contains(key)) removed.insert(key);
    // Removed first, because the number of tags has a limit.
    if (!removed.empty()) {
      add(
          "UntagResource", Wait::No,
          [&](JsonWriter& json) {
            json.key("TagKeys");
            json.begin_array();
            for (const std::string& key : removed) json.string(key);
            json.end_array();
          },
          "ResourceArn");
    }
    if (added.empty()) return;
    add(
        "TagResource", Wait::No,
        [&](JsonWriter& json) {
          json.key("Tags");
          json.begin_array();
          for (const auto& [key, value] : added) {
            json.begin_object();
            json.member("Key", key);
            json.member("Value", value);
            json.end_object();
          }
          json.end_array();
        },
        "ResourceArn");
  }

  void put_policy() {
    add(
        "PutResourcePolicy", Wait::No,
        [&](JsonWriter& json) { json.member("Policy", wanted_.policy); }, "ResourceArn");
  }

  void change_recovery() {
    add("UpdateContinuousBackups", Wait::No, [&](JsonWriter& json) {
      json.key("PointInTimeRecoverySpecification");
      json.begin_object();
      json.member("PointInTimeRecoveryEnabled", wanted_.recovery->is_enabled);
      if (wanted_.recovery->is_enabled && wanted_.recovery->period_days) {
        json.member("RecoveryPeriodInDays",
                    static_cast<std::int64_t>(*wanted_.recovery->period_days));
      }
      json.end_object();
    });
  }

  // An index that is built anew loses what was enabled for it.
  void change_insights() {
    for (const auto& [name, insights] : wanted_.insights) {
      const auto old = there_.insights.find(name);
      if (old == there_.insights.end()) continue;
      const bool is_as_told = name.empty() || is_retained(name);
      if (is_insights_changed(insights, is_as_told ? old->second : InsightsShape{}))
        set_insights(name, insights);
    }
  }

  void set_insights(const std::string& index, const InsightsShape& insights) {
    add("UpdateContributorInsights", Wait::No, [&](JsonWriter& json) {
      if (!index.empty()) json.member("IndexName", index);
      json.member("ContributorInsightsAction", insights.is_enabled ? "ENABLE" : "DISABLE");
      if (insights.is_enabled && !insights.mode.empty())
        json.member("ContributorInsightsMode", insights.mode);
    });
  }

  // A table has one destination, so the old one goes first.
  void change_kinesis() {
    const std::string& from = there_.kinesis->stream_arn;
    const std::string& to = wanted_.kinesis->stream_arn;
    if (from != to && !from.empty()) set_kinesis("Disable", {from, {}});
    if (!to.empty()) set_kinesis(from != to ? "Enable" : "Update", *wanted_.kinesis);
  }

  void set_kinesis(const std::string& verb, const DesiredKinesis& one) {
    add(verb + "KinesisStreamingDestination", Wait::Kinesis, [&](JsonWriter& json) {
      json.member("StreamArn", one.stream_arn);
      if (one.precision.empty()) return;
      json.key(verb + "KinesisStreamingConfiguration");
      json.begin_object();
      json.member("ApproximateCreationDateTimePrecision", one.precision);
      json.end_object();
    });
  }

  const TableShape wanted_;
  const TableShape& there_;
  const TableState& state_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> update_steps(const TableShape& wanted, const TableState& there) {
  return Steps{completed(wanted, there.shape), there}.run();
}

std::vector<Step> steps_after_create(const TableShape& wanted) {
  TableState made;
  made.shape = wanted;
  made.shape.ttl_attribute.clear();
  made.shape.recovery.emplace();
  for (auto& [index, insights] : made.shape.insights) insights = InsightsShape{};
  if (wanted.kinesis) made.shape.kinesis = DesiredKinesis{};
  return update_steps(wanted, made);
}

}  // namespace stator::templates
