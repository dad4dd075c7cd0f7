// Any JSON as a request with legacy parameters. What is refused is refused with a message; what is
// accepted can be evaluated, and what an update leaves behind is an item that can be stored.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "engine/storage/records/item_codec.h"
#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/expression/legacy/legacy_projection.h"
#include "protocol/expression/legacy/legacy_updates.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/attribute_value.h"

namespace stator::expr {
namespace {

constexpr std::array kFields{
    FieldSpec{"AttributesToGet", &model::kAttributeNameList},
    FieldSpec{"ConditionalOperator", &model::kConditionalOperator},
    FieldSpec{"Expected", &model::kExpectedAttributeMap},
    FieldSpec{"ScanFilter", &model::kFilterConditionMap},
    FieldSpec{"KeyConditions", &model::kKeyConditions},
    FieldSpec{"AttributeUpdates", &model::kAttributeUpdates},
};
constexpr TypeSpec kShape{
    .kind = TypeSpec::Kind::Structure, .name = "LegacyInput", .fields = kFields};

constexpr std::string_view kItem = R"({
  "a": {"S": "text"}, "b": {"N": "2"}, "c": {"M": {"k": {"S": "x"}}}, "d": {"L": [{"S": "x"}]},
  "e": {"SS": ["x", "y"]}, "f": {"NS": ["1", "2"]}, "g": {"BS": ["AQ=="]}, "h": {"BOOL": true},
  "i": {"NULL": true}, "j": {"B": "AQI="}})";

void require(bool condition) {
  if (!condition) std::abort();
}

// Whether there is a value to go on with.
template <class T>
bool is_accepted(const Result<T>& result) {
  if (result) return true;
  require(result.error().code() == ErrorCode::Validation);
  require(!result.error().message().empty());
  return false;
}

void check_condition(const Result<const Condition*>& condition, Item item) {
  if (!is_accepted(condition) || *condition == nullptr) return;
  (void)matches(**condition, item);
  (void)matches(**condition, Item{});
}

void check_key_conditions(const Result<std::span<const KeyCondition>>& conditions) {
  if (!is_accepted(conditions)) return;
  std::set<std::string_view> attributes;
  for (const KeyCondition& condition : *conditions) {
    require(attributes.insert(condition.attribute).second);
    if (condition.op != KeyCondition::Operator::Between) continue;
    require(condition.lower.type() == condition.upper.type());
    require(condition.lower.bytes() <= condition.upper.bytes());
  }
}

void check_update(const Result<const Update*>& update, Item item, Arena& arena) {
  if (!is_accepted(update) || *update == nullptr) return;
  for (const bool exists : {true, false}) {
    const auto after = apply_update(**update, exists ? item : Item{}, exists, arena);
    if (!is_accepted(after)) continue;
    std::string record;
    storage::encode_item(*after, record);
    require(storage::is_valid_record(record));
    require(targeted_part(**update, *after, arena).size() <= (*update)->targets.size());
  }
}

void check_body(std::string text, Wording wording) {
  Arena arena;
  const auto body = read_json(text, arena);
  if (!body || !check_types(*body, kShape) || !check_constraints(*body, kShape, wording)) return;
  std::string item_text{kItem};
  const auto item_node = read_json(item_text, arena);
  require(item_node.has_value());
  const auto item = decode_item(*item_node, wording, arena);
  require(item.has_value());

  check_condition(read_expected(*body, wording, arena), *item);
  check_condition(read_filter(*body, "ScanFilter", wording, arena), *item);
  check_key_conditions(read_key_conditions(*body, wording, arena));
  check_update(read_attribute_updates(*body, wording, arena), *item, arena);
  const auto projection = read_attributes_to_get(*body, arena);
  if (is_accepted(projection) && *projection != nullptr) {
    require(project(**projection, *item, arena).size() <= item->size());
  }
}

}  // namespace
}  // namespace stator::expr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using stator::Layer;
  using stator::Profile;
  const std::string text(reinterpret_cast<const char*>(data), size);
  stator::expr::check_body(text, {Profile::Current, Layer::Enveloped});
  stator::expr::check_body(text, {Profile::Classic, Layer::Classic});
  return 0;
}
