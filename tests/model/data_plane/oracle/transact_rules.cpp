#include "tests/model/data_plane/oracle/transact_rules.h"

namespace stator::model {

std::string aws(const std::string& name) { return "com.amazonaws.dynamodb.v20120810#" + name; }

Json capacity_json(const std::string& mode, const std::map<std::string, Units>& units,
                   const char* told_as_well) {
  Json list = Json::list();
  for (const auto& [name, consumed] : units)
    list.array.push_back(consumed_json(mode, name, consumed, told_as_well));
  return list;
}

std::string payload_too_large(std::size_t size_bytes) {
  const std::string text =
      "Transaction payload size cannot exceed 4MB. Payload Size: " + std::to_string(size_bytes);
  return "Transaction payload size cannot exceed 4MB. Payload Size: : " + text;
}

}  // namespace stator::model
