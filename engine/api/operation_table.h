// OperationTable: the operations that a program supports, found by a request's target.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/operations/operation.h"

namespace stator {

class OperationTable {
 public:
  // REQUIRES: no two rows have the same target.
  explicit OperationTable(const std::vector<OperationFamily>& families);

  // The operation of an X-Amz-Target header ("DynamoDB_20120810.GetItem"), or nullptr. Lives as
  // long as this object.
  const Operation* find(std::string_view target) const;

  // Whether there are operations of the service, as in "Kinesis_20131202".
  bool has_service(std::string_view service) const;

  // All operations, in no meaningful order.
  std::span<const Operation> rows() const { return rows_; }
  // A name that no other row has: "GetItem", or "Kinesis_20131202.GetRecords" if the operation is
  // of another service than DynamoDB. Lives as long as this object.
  std::string_view label(std::size_t number) const;
  // Index in rows() of a result of find().
  std::size_t number_of(const Operation& found) const {
    return static_cast<std::size_t>(&found - rows_.data());
  }

 private:
  std::vector<std::string> targets_;  // sorted
  std::vector<Operation> rows_;       // in the order of targets_
};

}  // namespace stator
