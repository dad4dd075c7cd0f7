// The partition keys of the items that a request addresses: dynamodb:LeadingKeys,
// dynamodb:FirstPartitionKeyValues and so on, and dynamodb:FullTableScan.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "engine/operations/access/text_set.h"
#include "engine/operations/resources.h"
#include "engine/pages/read_target.h"
#include "protocol/access/request_context.h"

namespace stator {

// Those of one action on one table or index. Strings as they are, numbers as canonical digits,
// binary values in Base64.
class PartitionValues {
 public:
  // `target`: the table or index; nullptr if there is none.
  void add(const Resource& resource, const ReadTarget* target);
  // Sets the keys that the action has. A key that the request lacks, or whose table is missing, is
  // unknowable, so that it passes no condition.
  void write_to(access::RequestContext& context) const;

 private:
  // An index has up to four attributes in its partition key.
  static constexpr std::size_t kAttributesMax = 4;

  struct Column {
    bool is_present = false;
    bool is_unknowable = false;
    TextSet values;

    void add(const Value& value);
    void add_unknown();
  };

  void add_unknown(std::size_t from, std::size_t end);
  void add_item(Item item, const ReadTarget& target);
  void add_conditions(std::span<const expr::KeyCondition> conditions, const ReadTarget& target);
  void add_where(const expr::Condition* where, const ReadTarget& target);
  void note_scan(const Resource& resource, const ReadTarget* target);

  std::array<Column, kAttributesMax> columns_;
  bool is_select_ = false;
  bool is_scan_ = false;
  bool is_scan_unknowable_ = false;
};

}  // namespace stator
