#include "engine/operations/reads/start_key.h"

#include <string>
#include <utility>

#include "engine/pages/start_position.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/service/wording.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

// Whether an error of values is reported as one of a starting key; those of numbers and of repeated
// set members are not.
bool is_told_as_invalid(std::string_view message) {
  if (message.starts_with("Supplied AttributeValue ")) return true;
  if (!message.starts_with(kInvalidParameter)) return false;
  message.remove_prefix(kInvalidParameter.size());
  return message.starts_with("Null attribute ") || message.starts_with("An string set ") ||
         message.starts_with("Binary sets ");
}

}  // namespace

Result<std::optional<Item>> read_start_key(const JsonNode& body, Wording wording, Arena& arena) {
  const JsonNode* node = body.find("ExclusiveStartKey");
  if (node == nullptr) return std::optional<Item>();
  auto key = decode_item(*node, wording, arena);
  if (key) return std::optional<Item>(*key);
  if (is_told_as_invalid(key.error().message())) return invalid_start_key(std::move(key).error());
  return std::move(key).error();
}

void write_last_evaluated_key(JsonWriter& out, const ReadTarget& target, std::string_view record,
                              Arena& scratch) {
  const storage::EncodedItem item(record);
  out.key("LastEvaluatedKey");
  out.begin_object();
  target.for_each_key([&](const KeyAttribute& attribute) {
    out.key(attribute.name);
    out.before_value();
    const auto value = item.find(attribute.name, scratch);
    if (!value) throw storage::DamagedData("an item has no key");
    append_value_json(out.out(), *value);
  });
  out.end_object();
}

}  // namespace stator
