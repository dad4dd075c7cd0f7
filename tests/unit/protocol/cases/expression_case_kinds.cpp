// Cases about expressions and the legacy parameters: what a text becomes, what it does to an item.
#include <array>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/legacy/legacy_conditions.h"
#include "protocol/expression/legacy/legacy_projection.h"
#include "protocol/expression/legacy/legacy_updates.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/expression/syntax/printer.h"
#include "protocol/expression/syntax/reserved_words.h"
#include "protocol/expression/updates/update.h"
#include "tests/unit/protocol/cases/case_json.h"
#include "tests/unit/protocol/cases/case_kinds.h"

namespace stator::test {
namespace {

using namespace stator::expr;

// The placeholders of a request, and an item: @item, or @new for one that has only its key yet.
struct World : CaseJson {
  explicit World(const CaseFields& fields, Wording wording = {}) {
    std::string body = "{";
    for (const auto& [name, member] : {std::pair{"names", "ExpressionAttributeNames:"},
                                       std::pair{"values", "ExpressionAttributeValues:"}}) {
      if (const auto found = fields.find(name); found != fields.end()) {
        body.append(member).append(found->second).append(",");
      }
    }
    auto read_placeholders = Placeholders::read(read(body + "}"), wording, arena);
    if (!read_placeholders) throw std::runtime_error(read_placeholders.error().message());
    placeholders = *read_placeholders;
    for (const char* name : {"new", "item"}) {
      const auto found = fields.find(name);
      if (found == fields.end()) continue;
      stored = item(found->second);
      has_item = true;
      exists = name[0] == 'i';
    }
  }

  Placeholders placeholders;
  Item stored;
  bool has_item = false;
  bool exists = true;
};

constexpr std::string_view kConditionPrefix = "Invalid ConditionExpression: ";
constexpr std::string_view kProjectionPrefix = "Invalid ProjectionExpression: ";
constexpr std::string_view kUpdatePrefix = "Invalid UpdateExpression: ";

template <class Result, class Append>
std::string printed(const Result& parsed, std::string_view prefix, bool& is_refused,
                    const Append& append) {
  is_refused = !parsed;
  if (!parsed) return refusal(parsed.error(), prefix);
  std::string out;
  append(out, *parsed);
  return out;
}

std::string print_condition(std::string_view text, bool& is_refused) {
  Arena arena;
  return printed(parse_condition_text(text, {"ConditionExpression", Wording{}}, arena),
                 kConditionPrefix, is_refused,
                 [](std::string& out, const auto& parsed) { append_condition(out, *parsed.root); });
}
std::string print_projection(std::string_view text, bool& is_refused) {
  Arena arena;
  return printed(parse_projection_text(text, {"ProjectionExpression", Wording{}}, arena),
                 kProjectionPrefix, is_refused, [](std::string& out, const auto& paths) {
                   for (const Path path : paths) {
                     if (!out.empty()) out.append(", ");
                     append_path(out, path);
                   }
                 });
}
std::string print_update(std::string_view text, bool& is_refused) {
  Arena arena;
  return printed(parse_update_text(text, {"UpdateExpression", Wording{}}, arena), kUpdatePrefix,
                 is_refused,
                 [](std::string& out, const auto& update) { append_update(out, *update); });
}

// The canonical text; printing that again must not change it.
template <std::string (*print)(std::string_view, bool&)>
std::string syntax(std::string input, std::string_view, const CaseFields&) {
  bool is_refused = false;
  const std::string once = print(input, is_refused);
  if (is_refused) return once;
  const std::string twice = print(once, is_refused);
  return once == twice ? once : "printed as " + once + ", and that as " + twice;
}

std::string condition(std::string input, std::string_view, const CaseFields& fields) {
  World world(fields);
  const auto parsed =
      parse_condition(input, "FilterExpression", world.placeholders, Wording{}, world.arena);
  if (!parsed) return refusal(parsed.error(), "Invalid FilterExpression: ");
  if (!world.has_item) return "ok";
  return matches(**parsed, world.stored) ? "true" : "false";
}

std::string applied(const Update& update, World& world) {
  if (!world.has_item) return "ok";
  const auto after = apply_update(update, world.stored, world.exists, world.arena);
  return after ? json_of(*after) : refusal(after.error());
}

std::string update(std::string input, std::string_view, const CaseFields& fields) {
  World world(fields);
  const auto parsed = parse_update(input, world.placeholders, Wording{}, world.arena);
  return parsed ? applied(**parsed, world) : refusal(parsed.error(), kUpdatePrefix);
}

// What ReturnValues shows of the item, before and after.
std::string targeted_part(std::string input, std::string_view variant, const CaseFields& fields) {
  World world(fields);
  const auto parsed = parse_update(input, world.placeholders, Wording{}, world.arena);
  if (!parsed) return refusal(parsed.error());
  const auto after = apply_update(**parsed, world.stored, world.exists, world.arena);
  if (!after) return refusal(after.error());
  const Item& shown = variant == "before" ? world.stored : *after;
  return json_of(expr::targeted_part(**parsed, shown, world.arena));
}

std::string projection(std::string input, std::string_view, const CaseFields& fields) {
  World world(fields);
  const auto parsed = parse_projection(input, world.placeholders, wording_of("bare"), world.arena);
  if (!parsed) return refusal(parsed.error(), kProjectionPrefix);
  return json_of(project(**parsed, world.stored, world.arena));
}

// `attribute Operator value; …`
std::string listed(std::span<const KeyCondition> conditions) {
  constexpr std::array kOperators = {"Equal",        "Less",    "LessEqual",  "Greater",
                                     "GreaterEqual", "Between", "BeginsWith", "Other"};
  std::string out;
  for (const KeyCondition& condition : conditions) {
    out.append(out.empty() ? "" : "; ").append(condition.attribute).append(" ");
    out.append(kOperators.at(static_cast<std::size_t>(condition.op)));
    if (condition.op == KeyCondition::Operator::Other) continue;
    append_value_json(out.append(" "), condition.lower);
    if (condition.op != KeyCondition::Operator::Between) continue;
    append_value_json(out.append(" "), condition.upper);
  }
  return out.empty() ? "nothing" : out;
}

std::string key_condition(std::string input, std::string_view variant, const CaseFields& fields) {
  const Wording wording = wording_of(variant);
  World world(fields, wording);
  const auto parsed = parse_key_condition(input, world.placeholders, wording, world.arena);
  if (!parsed) return refusal(parsed.error());
  const auto conditions = read_key_conditions(**parsed, wording, world.arena);
  return conditions ? listed(*conditions) : refusal(conditions.error());
}

// A request with some of the members about expressions.
std::string placeholders(std::string input, std::string_view variant, const CaseFields&) {
  const Wording wording = wording_of(variant);
  CaseJson json;
  const JsonNode& node = json.read(input);
  auto read = Placeholders::read(node, wording, json.arena);
  if (!read) return refusal(read.error());
  if (const JsonNode* text = node.find("ConditionExpression")) {
    const auto parsed =
        parse_condition(text->text(), "ConditionExpression", *read, wording, json.arena);
    if (!parsed) return refusal(parsed.error());
  }
  if (const JsonNode* text = node.find("ProjectionExpression")) {
    const auto parsed = parse_projection(text->text(), *read, wording, json.arena);
    if (!parsed) return refusal(parsed.error());
  }
  const auto used = read->check_all_used(wording);
  return used ? "ok" : refusal(used.error());
}

// A request with Expected, QueryFilter, ScanFilter or KeyConditions.
std::string legacy_conditions(std::string input, std::string_view variant,
                              const CaseFields& fields) {
  const std::string member(variant.substr(0, variant.find(' ')));
  const Wording wording = wording_of(variant.substr(member.size() + 1));
  World world(fields);
  const JsonNode& body = world.read(input);
  if (member == "KeyConditions") {
    const auto conditions = expr::read_key_conditions(body, wording, world.arena);
    return conditions ? listed(*conditions) : refusal(conditions.error());
  }
  const auto read = member == "Expected" ? read_expected(body, wording, world.arena)
                                         : read_filter(body, member, wording, world.arena);
  if (!read) return refusal(read.error());
  if (*read == nullptr) return "nothing";
  if (!world.has_item) return "ok";
  return matches(**read, world.stored) ? "true" : "false";
}

// The same of one entry, for the attribute `a`.
std::string legacy_entry(std::string input, std::string_view variant, const CaseFields& fields) {
  const std::string member(variant.substr(0, variant.find(' ')));
  return legacy_conditions("{" + member + ":{a:" + input + "}}", variant, fields);
}

std::string attribute_updates(std::string input, std::string_view variant,
                              const CaseFields& fields) {
  World world(fields);
  const JsonNode& body = world.read("{AttributeUpdates:" + input + "}");
  const auto read = read_attribute_updates(body, wording_of(variant), world.arena);
  if (!read) return refusal(read.error());
  if (*read == nullptr) return "nothing";
  return (*read)->is_legacy ? applied(**read, world) : "not marked as legacy";
}

std::string attributes_to_get(std::string input, std::string_view, const CaseFields& fields) {
  World world(fields);
  const auto read =
      read_attributes_to_get(world.read("{AttributesToGet:" + input + "}"), world.arena);
  if (!read) return refusal(read.error());
  return *read == nullptr ? "all" : json_of(project(**read, world.stored, world.arena));
}

std::string reserved_word(std::string input, std::string_view, const CaseFields&) {
  return is_reserved_word(input) ? "yes" : "no";
}

constexpr std::string_view kLegacyVariants =
    "Expected classic, Expected enveloped, QueryFilter bare, ScanFilter classic, "
    "KeyConditions bare, KeyConditions classic";
constexpr std::array kKinds = {
    CaseKind{"condition syntax", "", "", false, syntax<print_condition>},
    CaseKind{"projection syntax", "", "", false, syntax<print_projection>},
    CaseKind{"update syntax", "", "", false, syntax<print_update>},
    CaseKind{"condition", "", "names, values, item", false, condition},
    CaseKind{"update", "", "names, values, item, new", true, update},
    CaseKind{"update's targets", "before, after", "values, item", true, targeted_part},
    CaseKind{"projection", "", "names, item", true, projection},
    CaseKind{"key condition", "bare, classic", "names, values", false, key_condition},
    CaseKind{"placeholders", "enveloped, bare, classic", "", false, placeholders},
    CaseKind{"legacy entry", kLegacyVariants, "", false, legacy_entry},
    CaseKind{"legacy conditions", kLegacyVariants, "item", false, legacy_conditions},
    CaseKind{"AttributeUpdates", "classic, enveloped", "item, new", true, attribute_updates},
    CaseKind{"AttributesToGet", "", "item", true, attributes_to_get},
    CaseKind{"reserved word", "", "", false, reserved_word},
};

}  // namespace

std::span<const CaseKind> expression_case_kinds() { return kKinds; }

}  // namespace stator::test
