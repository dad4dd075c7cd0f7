#include "server/templates/plan/table_changes.h"

#include <string_view>
#include <utility>

#include "server/templates/tree/forest.h"

namespace stator::templates {

namespace {

std::string arrow(std::string_view from, std::string_view to) {
  return compose({from, " -> ", to});
}

std::string or_off(const std::string& text) { return text.empty() ? "off" : text; }

std::string units_text(UnitsShape units) {
  const auto number = [](std::int64_t value) {
    return value == kNoLimit.read ? std::string("none") : std::to_string(value);
  };
  return compose({number(units.read), "/", number(units.write)});
}

std::string warm_text(const std::optional<UnitsShape>& warm) {
  return warm ? units_text(*warm) : "not known";
}

int period_of(const DesiredRecovery& recovery) {
  return recovery.period_days.value_or(kPeriodDaysDefault);
}

std::string recovery_text(const DesiredRecovery& recovery) {
  if (!recovery.is_enabled) return "off";
  return compose({std::to_string(period_of(recovery)), " days"});
}

std::string precision_of(const DesiredKinesis& kinesis) {
  return kinesis.precision.empty() ? kPrecisionDefault : kinesis.precision;
}

std::string_view billing_text(const TableShape& table) {
  return table.is_on_demand ? "PAY_PER_REQUEST" : "PROVISIONED";
}

std::string_view on_or_off(bool is_on) { return is_on ? "on" : "off"; }

// "off -> on", "by-mail on -> off"; the modes if both are on.
std::string insights_text(const std::string& index, const InsightsShape& wanted,
                          const InsightsShape& there) {
  std::string text = index;
  if (!index.empty()) text += ' ';
  if (wanted.is_enabled && there.is_enabled) return text.append(arrow(there.mode, wanted.mode));
  text.append(arrow(on_or_off(there.is_enabled), on_or_off(wanted.is_enabled)));
  if (wanted.is_enabled && !wanted.mode.empty()) text.append(compose({" (", wanted.mode, ")"}));
  return text;
}

// The ARN, and the precision if it is not the default.
std::string kinesis_text(const DesiredKinesis& kinesis) {
  if (kinesis.stream_arn.empty()) return "off";
  const std::string precision = precision_of(kinesis);
  return precision == kPrecisionDefault ? kinesis.stream_arn
                                        : compose({kinesis.stream_arn, " ", precision});
}

class Comparison {
 public:
  Comparison(TableShape wanted, const TableState& there)
      : wanted_{std::move(wanted)}, there_{there.shape}, state_{there} {}

  std::vector<Change> run() {
    compare_keys();
    compare_billing();
    compare_global_indexes();
    compare_settings();
    if (state_.knows_ttl && wanted_.ttl_attribute != there_.ttl_attribute)
      add("ttl", arrow(or_off(there_.ttl_attribute), or_off(wanted_.ttl_attribute)));
    if (state_.knows_tags) compare_tags();
    if (!wanted_.policy.empty() && wanted_.policy != there_.policy)
      add("ResourcePolicy", there_.policy.empty() ? "none -> that of the file" : "it differs");
    if (is_recovery_changed(wanted_, there_)) {
      add("recovery", arrow(recovery_text(*there_.recovery), recovery_text(*wanted_.recovery)));
    }
    compare_insights();
    if (is_kinesis_changed(wanted_, there_))
      add("kinesis", arrow(kinesis_text(*there_.kinesis), kinesis_text(*wanted_.kinesis)));
    if (state_.is_unfinished) add("items", "loading them did not end");
    return std::move(changes_);
  }

 private:
  void add(std::string member, std::string text, bool needs_replacement = false) {
    changes_.push_back({std::move(member), std::move(text), needs_replacement});
  }

  void compare_keys() {
    if (wanted_.keys != there_.keys)
      add("KeySchema", arrow(keys_text(there_.keys), keys_text(wanted_.keys)), true);
    for (const auto& [name, index] : there_.local_indexes)
      if (!wanted_.local_indexes.contains(name))
        add("LocalSecondaryIndexes", compose({"- ", name}), true);
    for (const auto& [name, index] : wanted_.local_indexes) {
      const auto old = there_.local_indexes.find(name);
      if (old == there_.local_indexes.end())
        add("LocalSecondaryIndexes", compose({"+ ", name, " (", index_text(index), ")"}), true);
      else if (!index.has_same_entries(old->second))
        add("LocalSecondaryIndexes", rebuilt_text(name, old->second, index), true);
    }
  }

  void compare_billing() {
    if (wanted_.is_on_demand != there_.is_on_demand)
      add("BillingMode", arrow(billing_text(there_), billing_text(wanted_)));
    if (wanted_.throughput != there_.throughput && !wanted_.is_on_demand)
      add("ProvisionedThroughput",
          arrow(units_text(there_.throughput), units_text(wanted_.throughput)));
    if (wanted_.limit != there_.limit && wanted_.is_on_demand)
      add("OnDemandThroughput", arrow(units_text(there_.limit), units_text(wanted_.limit)));
    if (is_warmer(wanted_.warm, there_.warm))
      add("WarmThroughput", arrow(warm_text(there_.warm), warm_text(wanted_.warm)));
  }

  void compare_global_indexes() {
    const std::string member = "GlobalSecondaryIndexes";
    for (const auto& [name, index] : there_.global_indexes)
      if (!wanted_.global_indexes.contains(name)) add(member, compose({"- ", name}));
    for (const auto& [name, index] : wanted_.global_indexes) {
      const auto old = there_.global_indexes.find(name);
      if (old == there_.global_indexes.end()) {
        add(member, compose({"+ ", name, " (", index_text(index), ")"}));
      } else if (!index.has_same_entries(old->second)) {
        add(member, rebuilt_text(name, old->second, index));
      } else {
        compare_units(name, old->second, index);
      }
    }
  }

  void compare_units(const std::string& name, const IndexShape& old, const IndexShape& index) {
    const std::string member = "GlobalSecondaryIndexes";
    if (index.throughput != old.throughput && !wanted_.is_on_demand) {
      add(member, compose({name, " throughput ",
                           arrow(units_text(old.throughput), units_text(index.throughput))}));
    }
    if (index.limit != old.limit && wanted_.is_on_demand) {
      add(member,
          compose({name, " limit ", arrow(units_text(old.limit), units_text(index.limit))}));
    }
    if (is_warmer(index.warm, old.warm))
      add(member, compose({name, " warm ", arrow(warm_text(old.warm), warm_text(index.warm))}));
  }

  static std::string rebuilt_text(const std::string& name, const IndexShape& from,
                                  const IndexShape& to) {
    return compose({name, " (", index_text(from), ") -> (", index_text(to), "), built anew"});
  }

  void compare_settings() {
    if (wanted_.stream != there_.stream)
      add("StreamSpecification", arrow(or_off(there_.stream), or_off(wanted_.stream)));
    if (wanted_.is_encrypted != there_.is_encrypted)
      add("SSESpecification",
          arrow(on_or_off(there_.is_encrypted), on_or_off(wanted_.is_encrypted)));
    if (wanted_.table_class != there_.table_class)
      add("TableClass", arrow(there_.table_class, wanted_.table_class));
    if (wanted_.is_protected != there_.is_protected)
      add("DeletionProtectionEnabled",
          arrow(on_or_off(there_.is_protected), on_or_off(wanted_.is_protected)));
  }

  void compare_tags() {
    for (const auto& [key, value] : there_.tags)
      if (!wanted_.tags.contains(key)) add("Tags", compose({"- ", key}));
    for (const auto& [key, value] : wanted_.tags) {
      const auto old = there_.tags.find(key);
      if (old == there_.tags.end())
        add("Tags", compose({"+ ", key, "=", value}));
      else if (old->second != value)
        add("Tags", compose({key, "=", arrow(old->second, value)}));
    }
  }

  void compare_insights() {
    for (const auto& [index, insights] : wanted_.insights) {
      const auto old = there_.insights.find(index);
      if (old != there_.insights.end() && is_insights_changed(insights, old->second))
        add("insights", insights_text(index, insights, old->second));
    }
  }

  const TableShape wanted_;
  const TableShape& there_;
  const TableState& state_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> changes_of(const TableShape& wanted, const TableState& there) {
  return Comparison{completed(wanted, there.shape), there}.run();
}

std::string keys_text(const std::vector<KeyShape>& keys) {
  std::string text;
  for (const KeyShape& key : keys) {
    if (!text.empty()) text += " / ";
    text.append(key.name).append(" ").append(key.type.empty() ? "?" : key.type);
  }
  return text;
}

std::string index_text(const IndexShape& index) {
  std::string text = keys_text(index.keys);
  text.append("; ").append(index.projection);
  const char* before = " ";
  for (const std::string& name : index.attributes) {
    text.append(before).append(name);
    before = ", ";
  }
  return text;
}

bool is_warmer(const std::optional<UnitsShape>& wanted, const std::optional<UnitsShape>& there) {
  return wanted && there && (wanted->read > there->read || wanted->write > there->write);
}

bool is_recovery_changed(const TableShape& wanted, const TableShape& there) {
  if (!wanted.recovery || !there.recovery) return false;
  if (wanted.recovery->is_enabled != there.recovery->is_enabled) return true;
  return wanted.recovery->is_enabled && wanted.recovery->period_days &&
         period_of(*wanted.recovery) != period_of(*there.recovery);
}

bool is_kinesis_changed(const TableShape& wanted, const TableShape& there) {
  if (!wanted.kinesis || !there.kinesis) return false;
  if (wanted.kinesis->stream_arn != there.kinesis->stream_arn) return true;
  return !wanted.kinesis->precision.empty() &&
         wanted.kinesis->precision != precision_of(*there.kinesis);
}

bool is_insights_changed(const InsightsShape& wanted, const InsightsShape& there) {
  if (wanted.is_enabled != there.is_enabled) return true;
  return wanted.is_enabled && !wanted.mode.empty() && !there.mode.empty() &&
         wanted.mode != there.mode;
}

}  // namespace stator::templates
