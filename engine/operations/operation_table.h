// OperationTable: the operations a program answers, found by the target a request names.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/operations/operation.h"

namespace stator {

class OperationTable {
 public:
  // REQUIRES: no two rows have the same target.
  OperationTable(std::initializer_list<OperationFamily> families);

  // The operation of an X-Amz-Target header ("DynamoDB_20120810.GetItem"), or nullptr.
  // It lives as long as this does.
  const Operation* find(std::string_view target) const;

  // All of them, in no order that means something.
  std::span<const Operation> rows() const { return rows_; }
  // Where in rows() one is that find() found.
  std::size_t number_of(const Operation& found) const {
    return static_cast<std::size_t>(&found - rows_.data());
  }

 private:
  std::vector<std::string> targets_;  // sorted
  std::vector<Operation> rows_;       // in the order of targets_
};

}  // namespace stator
