#include "server/templates/drafts/shapes.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "protocol/json/json_writer.h"
#include "server/templates/tree/forest.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

using Form = Shape::Form;

constexpr Shape kText{Form::Text};
constexpr Shape kInteger{Form::Integer};
constexpr Shape kBoolean{Form::Boolean};
constexpr Shape kTexts{Form::List, {}, &kText};

constexpr Shape object_of(std::span<const ShapeMember> members) { return {Form::Object, members}; }
constexpr Shape list_of(const Shape* element) { return {Form::List, {}, element}; }

constexpr ShapeMember kDefinitionMembers[] = {{"AttributeName", &kText, true},
                                              {"AttributeType", &kText, true}};
constexpr Shape kDefinition = object_of(kDefinitionMembers);
constexpr Shape kDefinitions = list_of(&kDefinition);

constexpr ShapeMember kKeyMembers[] = {{"AttributeName", &kText, true}, {"KeyType", &kText, true}};
constexpr Shape kKey = object_of(kKeyMembers);
constexpr Shape kKeys = list_of(&kKey);

constexpr ShapeMember kThroughputMembers[] = {{"ReadCapacityUnits", &kInteger, true},
                                              {"WriteCapacityUnits", &kInteger, true}};
constexpr Shape kProvisioned = object_of(kThroughputMembers);
constexpr Shape kLimit{Form::Integer};
constexpr ShapeMember kOnDemandMembers[] = {{"MaxReadRequestUnits", &kLimit},
                                            {"MaxWriteRequestUnits", &kLimit}};
constexpr Shape kOnDemand = object_of(kOnDemandMembers);
constexpr ShapeMember kWarmMembers[] = {{"ReadUnitsPerSecond", &kInteger},
                                        {"WriteUnitsPerSecond", &kInteger}};
constexpr Shape kWarm = object_of(kWarmMembers);

constexpr ShapeMember kProjectionMembers[] = {{"ProjectionType", &kText, true},
                                              {"NonKeyAttributes", &kTexts}};
constexpr Shape kProjection = object_of(kProjectionMembers);

constexpr ShapeMember kGlobalMembers[] = {{"IndexName", &kText, true},
                                          {"KeySchema", &kKeys, true},
                                          {"Projection", &kProjection, true},
                                          {"ProvisionedThroughput", &kProvisioned},
                                          {"OnDemandThroughput", &kOnDemand},
                                          {"WarmThroughput", &kWarm},
                                          {"ContributorInsightsSpecification", nullptr}};
constexpr Shape kGlobal = object_of(kGlobalMembers);
constexpr Shape kGlobals = list_of(&kGlobal);

constexpr ShapeMember kLocalMembers[] = {
    {"IndexName", &kText, true}, {"KeySchema", &kKeys, true}, {"Projection", &kProjection, true}};
constexpr Shape kLocal = object_of(kLocalMembers);
constexpr Shape kLocals = list_of(&kLocal);

constexpr ShapeMember kTagMembers[] = {{"Key", &kText, true}, {"Value", &kText, true}};
constexpr Shape kTag = object_of(kTagMembers);
constexpr Shape kTags = list_of(&kTag);

constexpr ShapeMember kTableMembers[] = {{"AttributeDefinitions", &kDefinitions},
                                         {"KeySchema", &kKeys, true},
                                         {"BillingMode", &kText},
                                         {"ProvisionedThroughput", &kProvisioned},
                                         {"OnDemandThroughput", &kOnDemand},
                                         {"WarmThroughput", &kWarm},
                                         {"GlobalSecondaryIndexes", &kGlobals},
                                         {"LocalSecondaryIndexes", &kLocals},
                                         {"TableClass", &kText},
                                         {"DeletionProtectionEnabled", &kBoolean},
                                         {"Tags", &kTags}};

std::string_view word_of(Form form) {
  switch (form) {
    case Form::Text:
      return "a text";
    case Form::Integer:
      return "a whole number";
    case Form::Boolean:
      return "true or false";
    case Form::Object:
      return "a map";
    case Form::List:
      return "a list";
  }
  return {};
}

// False if the scalar is not of that form.
bool append_scalar(std::string& out, const Node& node, Form form) {
  if (form == Form::Integer) {
    const auto digits = integer_of(node);
    if (digits) out += *digits;
    return digits.has_value();
  }
  if (form == Form::Boolean) {
    const auto truth = boolean_of(node);
    if (truth) out += *truth ? "true" : "false";
    return truth.has_value();
  }
  if (form != Form::Text) return false;
  append_json_string(out, node.text());
  return true;
}

bool append_list(std::string& out, const Node& node, const Shape& shape, const std::string& path,
                 const ReportMistake& report) {
  out += '[';
  std::size_t index = 0;
  for (const Node& element : node.elements()) {
    if (index > 0) out += ',';
    const std::string place = compose({path, "[", std::to_string(index++), "]"});
    if (!append_shaped(out, element, *shape.element, place, report)) return false;
  }
  out += ']';
  return true;
}

bool append_object(std::string& out, const Node& node, const Shape& shape, const std::string& path,
                   const ReportMistake& report) {
  for (const Member& member : node.members()) {
    const bool is_known =
        std::any_of(shape.members.begin(), shape.members.end(),
                    [&](const ShapeMember& known) { return known.name == member.name; });
    if (!is_known) {
      report(member.value, compose({path, ": there is no member ", member.name}));
      return false;
    }
  }
  out += '{';
  bool is_first = true;
  for (const ShapeMember& member : shape.members) {
    const Node* const value = node.find(member.name);
    if (value == nullptr && member.is_required) {
      report(node, compose({path, ": ", member.name, " is missing"}));
      return false;
    }
    const bool is_copied = value != nullptr && member.shape != nullptr;
    if (!is_copied || is_no_limit(*value, *member.shape)) continue;
    if (!is_first) out += ',';
    is_first = false;
    append_json_string(out, member.name);
    out += ':';
    if (!append_shaped(out, *value, *member.shape, compose({path, ".", member.name}), report))
      return false;
  }
  out += '}';
  return true;
}

}  // namespace

std::span<const ShapeMember> table_shape() { return kTableMembers; }

bool is_no_limit(const Node& node, const Shape& shape) {
  if (&shape == &kLimit) return node.is_scalar() && node.text() == "-1";
  if (&shape != &kOnDemand || !node.is_map() || node.members().empty()) return false;
  const auto members = node.members();
  return std::all_of(members.begin(), members.end(), [](const Member& member) {
    return std::any_of(
        std::begin(kOnDemandMembers), std::end(kOnDemandMembers), [&](const ShapeMember& known) {
          return known.name == member.name && is_no_limit(member.value, *known.shape);
        });
  });
}

bool append_shaped(std::string& out, const Node& node, const Shape& shape, const std::string& path,
                   const ReportMistake& report) {
  if (shape.form == Form::List && node.is_list())
    return append_list(out, node, shape, path, report);
  if (shape.form == Form::Object && node.is_map())
    return append_object(out, node, shape, path, report);
  if (node.is_scalar() && append_scalar(out, node, shape.form)) return true;
  report(node, compose({path, ": it must be ", word_of(shape.form)}));
  return false;
}

}  // namespace stator::templates
