// OperationTable: the operations a program answers, found by the target a request names.
#pragma once

#include <initializer_list>
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
  const Operation* find(std::string_view target) const;

 private:
  struct Entry {
    std::string target;
    const Operation* operation;
  };
  std::vector<Entry> entries_;  // sorted by target
};

}  // namespace stator
