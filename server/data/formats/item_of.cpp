#include "server/data/formats/item_of.h"

#include "protocol/shapes/attribute_value.h"

namespace stator::data {

tl::expected<Item, std::string> item_of(const JsonNode& node, Arena& arena) {
  if (node.kind() != JsonNode::Kind::Object)
    return tl::unexpected(std::string("it is no item in DynamoDB JSON"));
  for (const JsonMember& member : node.members()) {
    if (const auto types = check_value_types(member.value, ValuePlace::Element); !types) {
      return tl::unexpected("attribute '" + std::string(member.name) +
                            "' is no value in DynamoDB JSON such as {\"S\":\"text\"}");
    }
  }
  const auto item = decode_item(node, Wording{}, arena);
  if (!item) return tl::unexpected(item.error().message());
  return *item;
}

}  // namespace stator::data
