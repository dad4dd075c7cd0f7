#include "engine/operations/access/partition_values.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/operations/partiql/key_regions.h"
#include "protocol/number/number.h"
#include "protocol/text/base64.h"

namespace stator {
namespace {

constexpr std::string_view kPartitionKeyNames[] = {
    "dynamodb:FirstPartitionKeyValues", "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues", "dynamodb:FourthPartitionKeyValues"};

// Of a key: S as it is, N as canonical digits, B in Base64.
std::string key_text(const Value& value) {
  std::string text;
  if (value.type() == Type::N) {
    append_number_text(text, value.bytes());
  } else if (value.type() == Type::B) {
    append_base64(text, value.bytes());
  } else {
    text = value.bytes();
  }
  return text;
}

// The attributes of a request are few and need not be sorted.
const Value* find_in_request(Item item, std::string_view name) {
  const auto found = std::find_if(item.begin(), item.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == item.end() ? nullptr : &found->value;
}

void set_column(access::RequestContext& context, std::string_view name, const TextSet& values,
                bool is_unknowable) {
  if (is_unknowable) {
    context.set_unknowable(name, /*is_multi_valued=*/true);
  } else {
    context.set_list(name, values.texts());
  }
}

}  // namespace

void PartitionValues::Column::add(const Value& value) {
  if (!is_key_type(value.type())) return add_unknown();
  is_present = true;
  values.add(key_text(value));
}

void PartitionValues::Column::add_unknown() {
  is_present = true;
  is_unknowable = true;
}

void PartitionValues::add_unknown(std::size_t from, std::size_t end) {
  for (std::size_t i = from; i < end; ++i) columns_[i].add_unknown();
}

void PartitionValues::add_item(Item item, const ReadTarget& target) {
  const auto keys = target.partition_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Value* const value = find_in_request(item, keys[i].name);
    if (value != nullptr) {
      columns_[i].add(*value);
    } else {
      columns_[i].add_unknown();
    }
  }
}

void PartitionValues::add_conditions(std::span<const expr::KeyCondition> conditions,
                                     const ReadTarget& target) {
  const auto keys = target.partition_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = std::find_if(conditions.begin(), conditions.end(),
                                    [&](const expr::KeyCondition& condition) {
                                      return condition.op == expr::KeyCondition::Operator::Equal &&
                                             condition.attribute == keys[i].name;
                                    });
    if (found != conditions.end()) {
      columns_[i].add(found->lower);
    } else {
      columns_[i].add_unknown();
    }
  }
}

// Statements cannot read an index with several attributes in its partition key, so the others are
// not looked for.
void PartitionValues::add_where(const expr::Condition* where, const ReadTarget& target) {
  const auto keys = target.partition_keys();
  if (where == nullptr || keys.size() > 1 || !binds_partition(*where, keys.front()))
    return add_unknown(0, keys.size());
  for (const Value* value : compared_values(*where, keys.front().name)) columns_[0].add(*value);
}

// Whether a SELECT reads the whole table: without a table to look at, only one without WHERE is
// known to.
void PartitionValues::note_scan(const Resource& resource, const ReadTarget* target) {
  is_select_ = true;
  const expr::Condition* const where = resource.condition;
  if (where == nullptr && !resource.is_incomplete) {
    is_scan_ = true;
  } else if (target == nullptr || resource.is_incomplete) {
    is_scan_unknowable_ = true;
  } else {
    const auto keys = target->partition_keys();
    is_scan_ = is_scan_ || !std::all_of(keys.begin(), keys.end(), [&](const KeyAttribute& key) {
                 return binds_partition(*where, key);
               });
  }
}

void PartitionValues::add(const Resource& resource, const ReadTarget* target) {
  if (resource.key_source == KeySource::None) return;
  const bool is_select = resource.key_source == KeySource::Where && !resource.select.empty();
  if (is_select) note_scan(resource, target);
  // Of an index that is not there the number of attributes is unknown, too.
  if (target == nullptr) return add_unknown(0, resource.index.empty() ? 1 : kAttributesMax);
  switch (resource.key_source) {
    case KeySource::None:
      break;
    case KeySource::ItemKey:
      return add_item(resource.key, *target);
    case KeySource::KeyConditions:
      return add_conditions(resource.key_conditions, *target);
    case KeySource::Where:
      return add_where(resource.is_incomplete ? nullptr : resource.condition, *target);
  }
}

void PartitionValues::write_to(access::RequestContext& context) const {
  if (columns_[0].is_present)
    set_column(context, "dynamodb:LeadingKeys", columns_[0].values, columns_[0].is_unknowable);
  for (std::size_t i = 0; i < kAttributesMax; ++i) {
    const Column& column = columns_[i];
    if (column.is_present)
      set_column(context, kPartitionKeyNames[i], column.values, column.is_unknowable);
  }
  if (!is_select_) return;
  if (is_scan_ || !is_scan_unknowable_) {
    context.set("dynamodb:FullTableScan", is_scan_ ? "true" : "false");
  } else {
    context.set_unknowable("dynamodb:FullTableScan", /*is_multi_valued=*/false);
  }
}

}  // namespace stator
