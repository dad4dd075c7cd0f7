// Fuzzes both steps from JSON to values. What is accepted must print as JSON that decodes to the
// same item.
#include "protocol/shapes/attribute_value.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/json/json_reader.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool has_right_types(const JsonNode& item) {
  for (const JsonMember& member : item.members()) {
    const auto checked = check_value_types(member.value, ValuePlace::Element);
    if (checked) continue;
    require(checked.error().code() == ErrorCode::Serialization);
    require(!checked.error().message().empty());
    return false;
  }
  return true;
}

void check_sorted(Item item, std::size_t depth);

void check_value(const Value& value, std::size_t depth) {
  require(depth <= limits::kValueDepthMax);
  if (is_set(value.type())) {
    const auto elements = value.set_elements();
    require(!elements.empty());
    for (std::size_t i = 1; i < elements.size(); ++i) require(elements[i - 1] < elements[i]);
  } else if (value.type() == Type::L) {
    for (const Value& element : value.elements()) check_value(element, depth + 1);
  } else if (value.type() == Type::M) {
    check_sorted(value.members(), depth);
  }
}

void check_sorted(Item item, std::size_t depth) {
  for (std::size_t i = 0; i < item.size(); ++i) {
    require(!item[i].name.empty());
    require(i == 0 || item[i - 1].name < item[i].name);
    check_value(item[i].value, depth + 1);
  }
}

void check_item(Item item, Wording wording) {
  check_sorted(item, 0);
  std::string printed;
  append_item_json(printed, item);
  std::string body = printed;
  Arena arena;
  const auto node = read_json(body, arena);
  require(node.has_value() && has_right_types(*node));
  const auto again = decode_item(*node, wording, arena);
  require(again.has_value());
  require(Value::map(*again) == Value::map(item));
  require(item_size_bytes(*again) == item_size_bytes(item));
  std::string printed_again;
  append_item_json(printed_again, *again);
  require(printed_again == printed);
}

}  // namespace
}  // namespace stator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stator;
  std::string body(reinterpret_cast<const char*>(data), size);
  Arena arena;
  const auto node = read_json(body, arena);
  if (!node || node->kind() != JsonNode::Kind::Object || !has_right_types(*node)) return 0;
  bool is_accepted_anywhere = false;
  for (const Profile profile : {Profile::Classic, Profile::Current}) {
    for (const Layer layer : {Layer::Bare, Layer::Enveloped}) {
      const Wording wording = Wording::of(profile, layer);
      const auto item = decode_item(*node, wording, arena);
      if (item) {
        is_accepted_anywhere = true;
        check_item(*item, wording);
      } else {
        require(item.error().code() == ErrorCode::Validation);
        require(!item.error().message().empty());
        // The rules differ only for zeros with an exponent, which the classic ones accept.
        require(profile == Profile::Classic || !is_accepted_anywhere ||
                item.error().message().find("range") != std::string::npos);
      }
    }
  }
  return 0;
}
