#include "server/templates/drafts/table_draft.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/json/json_writer.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

// Members of AWS::DynamoDB::Table that are read by functions of their own.
constexpr std::array<std::string_view, 8> kReadApart = {"TableName",
                                                        "StreamSpecification",
                                                        "SSESpecification",
                                                        "ResourcePolicy",
                                                        "TimeToLiveSpecification",
                                                        "PointInTimeRecoverySpecification",
                                                        "KinesisStreamSpecification",
                                                        "ContributorInsightsSpecification"};

bool is_read(std::string_view name) {
  const auto shape = table_shape();
  return std::find(kReadApart.begin(), kReadApart.end(), name) != kReadApart.end() ||
         std::any_of(shape.begin(), shape.end(),
                     [&](const ShapeMember& member) { return member.name == name; });
}

std::string json_object(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string json;
  JsonWriter writer(json);
  writer.begin_object();
  for (const auto& [name, value] : members) {
    writer.key(name);
    writer.raw(value);
  }
  writer.end_object();
  return json;
}

void add_names(std::vector<std::string_view>& names, const Node* elements) {
  if (elements == nullptr) return;
  for (const Node& element : elements->elements())
    names.push_back(element.text_in("AttributeName"));
}

}  // namespace

void TableDraft::mistake(Spot spot, std::string_view member, std::string_view text) {
  is_broken_ = true;
  std::string said = table_.logical_id;
  if (!member.empty()) said.append(".").append(member);
  said.append(": ").append(text);
  reading_.mistakes.push_back(forest_.mistake(spot, std::move(said)));
}

void TableDraft::pass_mistake(const Mistake& mistake, std::string_view member) {
  is_broken_ = true;
  reading_.mistakes.push_back(
      {mistake.place, compose({table_.logical_id, ".", member, ": ", mistake.text})});
}

void TableDraft::set_name(std::string_view name) {
  const auto& given = reading_.options.table_names;
  const auto wanted = std::find_if(given.rbegin(), given.rend(), [&](const NamedText& one) {
    return one.first == table_.logical_id;
  });
  table_.name = wanted == given.rend() ? std::string(name) : wanted->second;
}

std::optional<Node> TableDraft::value(const Node& properties, std::string_view name) {
  const Node* const found = properties.find(name);
  if (found == nullptr) return std::nullopt;
  if (!resolve_) return *found;
  auto resolved = resolve_(*found);
  if (!resolved) {
    pass_mistake(resolved.error(), name);
    return std::nullopt;
  }
  if (resolved->is_nothing() || resolved->is_null()) return std::nullopt;
  return *resolved;
}

std::optional<Node> TableDraft::optional_value(const Node& properties, std::string_view name) {
  const Node* const found = properties.find(name);
  if (found == nullptr) return std::nullopt;
  if (!resolve_) return *found;
  const auto resolved = resolve_(*found);
  if (!resolved) leave_out(name);
  if (!resolved || resolved->is_nothing() || resolved->is_null()) return std::nullopt;
  return *resolved;
}

std::optional<bool> TableDraft::flag_in(const Node& object, std::string_view member,
                                        std::string_view name) {
  const Node* const found = object.find(name);
  if (found == nullptr) return std::nullopt;
  const auto truth = boolean_of(*found);
  if (!truth) mistake(found->spot(), compose({member, ".", name}), "it must be true or false");
  return truth;
}

void TableDraft::add(std::string_view name, std::string json) {
  body_.emplace_back(name, std::move(json));
}

void TableDraft::add_properties(const Node& properties) {
  if (!properties.is_map()) return mistake(spot_, "Properties", "it must be a map");
  add_shaped(properties);
  if (const auto stream = value(properties, "StreamSpecification")) add_stream(*stream);
  add_encryption(properties);
  add_policy(properties);
  if (const auto ttl = value(properties, "TimeToLiveSpecification")) add_ttl(*ttl);
  if (const auto recovery = value(properties, "PointInTimeRecoverySpecification"))
    add_recovery(*recovery);
  add_kinesis(properties);
  if (const auto insights = value(properties, "ContributorInsightsSpecification"))
    add_insight({}, *insights, "ContributorInsightsSpecification");
  for (const Member& member : properties.members()) {
    if (is_read(member.name)) continue;
    if (member.name.starts_with("Fn::")) {
      mistake(member.spot, {},
              compose({member.name,
                       " is not evaluated here; give the template "
                       "as AWS processed it"}));
      continue;
    }
    // What is AWS::NoValue is not there, so it is not left out.
    const auto resolved = resolve_ ? resolve_(member.value) : member.value;
    if (!resolved || (!resolved->is_nothing() && !resolved->is_null())) leave_out(member.name);
  }
}

void TableDraft::add_shaped(const Node& properties) {
  const ReportMistake report = [&](const Node& node, std::string text) {
    is_broken_ = true;
    reading_.mistakes.push_back(
        forest_.mistake(node.spot().line > 0 ? node.spot() : spot_, std::move(text)));
  };
  for (const ShapeMember& member : table_shape()) {
    const std::size_t mistakes = reading_.mistakes.size();
    const auto found = value(properties, member.name);
    if (!found) {
      if (member.is_required && reading_.mistakes.size() == mistakes)
        mistake(spot_, {}, compose({member.name, " is missing"}));
      continue;
    }
    const bool is_empty_list = found->is_list() && found->elements().empty();
    if (is_empty_list || is_no_limit(*found, *member.shape)) continue;  // CreateTable refuses it
    std::string json;
    const std::string path = compose({table_.logical_id, ".", member.name});
    const std::vector<Node> kept = member.name == "AttributeDefinitions"
                                       ? without_searched(*found, properties)
                                       : std::vector<Node>();
    const Node& shown = kept.empty() ? *found : Node::list(kept, found->spot());
    if (!append_shaped(json, shown, *member.shape, path, report)) continue;
    add(member.name, std::move(json));
    if (member.name == "GlobalSecondaryIndexes") add_insights(*found);
  }
}

// CreateTable refuses the definition of an attribute that is no key, and vector indexes, which are
// left out, have attributes to search by that may be none.
std::vector<Node> TableDraft::without_searched(const Node& definitions,
                                               const Node& properties) const {
  std::vector<Node> kept;
  const auto indexes = known_value(properties, "VectorIndexes");
  if (!indexes) return kept;
  std::vector<std::string_view> searched;
  for (const Node& index : indexes->elements()) add_names(searched, index.find("SearchSchema"));
  std::vector<std::string_view> keys;
  add_names(keys, properties.find("KeySchema"));
  for (const std::string_view kind : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"}) {
    const auto others = known_value(properties, kind);
    if (!others) continue;
    for (const Node& index : others->elements()) add_names(keys, index.find("KeySchema"));
  }
  const auto has = [](const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Node& definition : definitions.elements()) {
    const std::string_view name = definition.text_in("AttributeName");
    if (!has(searched, name) || has(keys, name)) kept.push_back(definition);
  }
  return kept;
}

std::optional<Node> TableDraft::known_value(const Node& properties, std::string_view name) const {
  const Node* const found = properties.find(name);
  if (found == nullptr || !resolve_) return found == nullptr ? std::nullopt : std::optional(*found);
  const auto resolved = resolve_(*found);
  return resolved ? std::optional(*resolved) : std::nullopt;
}

void TableDraft::add_insights(const Node& indexes) {
  for (const Node& index : indexes.elements())
    if (const Node* const insights = index.find("ContributorInsightsSpecification"))
      add_insight(index.text_in("IndexName"), *insights,
                  "GlobalSecondaryIndexes.ContributorInsightsSpecification");
}

void TableDraft::add_insight(std::string_view index, const Node& specification,
                             std::string_view path) {
  const auto is_enabled = flag_in(specification, path, "Enabled");
  if (!is_enabled) {
    if (specification.find("Enabled") == nullptr)
      mistake(specification.spot(), path, "Enabled is missing");
    return;
  }
  table_.insights.push_back(
      {std::string(index), *is_enabled, std::string(specification.text_in("Mode"))});
}

void TableDraft::add_stream(const Node& stream) {
  const Node* const view = stream.find("StreamViewType");
  if (view == nullptr || !view->is_scalar())
    return mistake(stream.spot(), "StreamSpecification", "StreamViewType is missing");
  std::string json = "{\"StreamEnabled\":true,\"StreamViewType\":";
  append_json_string(json, view->text());
  add("StreamSpecification", json.append("}"));
  if (stream.find("ResourcePolicy") != nullptr) leave_out("StreamSpecification.ResourcePolicy");
}

// A key of AWS is often another resource of the template, whose name only AWS knows.
void TableDraft::add_encryption(const Node& properties) {
  const auto encryption = optional_value(properties, "SSESpecification");
  if (!encryption) return;
  const auto is_enabled = flag_in(*encryption, "SSESpecification", "SSEEnabled");
  if (!is_enabled.value_or(false)) return;
  std::vector<std::pair<std::string, std::string>> members = {{"Enabled", "true"}};
  for (const std::string_view name : {"SSEType", "KMSMasterKeyId"}) {
    const std::string_view text = encryption->text_in(name);
    if (text.empty()) continue;
    append_json_string(members.emplace_back(name, std::string()).second, text);
  }
  add("SSESpecification", json_object(members));
}

// So are roles, which a policy names.
void TableDraft::add_policy(const Node& properties) {
  const auto policy = optional_value(properties, "ResourcePolicy");
  if (!policy) return;
  const Node* const document = policy->find("PolicyDocument");
  if (document == nullptr)
    return mistake(policy->spot(), "ResourcePolicy", "PolicyDocument is missing");
  std::string text;
  if (document->is_scalar()) {
    text = document->text();
  } else {
    append_json(text, *document);
  }
  std::string json;
  append_json_string(json, text);
  add("ResourcePolicy", std::move(json));
}

void TableDraft::add_ttl(const Node& specification) {
  const auto is_enabled = flag_in(specification, "TimeToLiveSpecification", "Enabled");
  if (!is_enabled.value_or(false)) return;
  table_.ttl_attribute = specification.text_in("AttributeName");
  if (table_.ttl_attribute.empty())
    mistake(specification.spot(), "TimeToLiveSpecification", "AttributeName is missing");
}

void TableDraft::add_recovery(const Node& specification) {
  constexpr std::string_view kName = "PointInTimeRecoverySpecification";
  const auto is_enabled = flag_in(specification, kName, "PointInTimeRecoveryEnabled");
  if (!is_enabled) return;
  DesiredRecovery recovery;
  recovery.is_enabled = *is_enabled;
  if (const Node* const period = specification.find("RecoveryPeriodInDays")) {
    const auto digits = integer_of(*period);
    int days = 0;
    if (!digits ||
        std::from_chars(digits->data(), digits->data() + digits->size(), days).ec != std::errc())
      return mistake(period->spot(), compose({kName, ".RecoveryPeriodInDays"}),
                     "it must be a whole number");
    recovery.period_days = days;
  }
  table_.recovery = recovery;
}

// The stream is often another resource of the template, whose name only AWS knows.
void TableDraft::add_kinesis(const Node& properties) {
  constexpr std::string_view kName = "KinesisStreamSpecification";
  const auto kinesis = optional_value(properties, kName);
  if (!kinesis) return;
  const std::string_view stream = kinesis->text_in("StreamArn");
  if (stream.empty()) return mistake(kinesis->spot(), kName, "StreamArn is missing");
  table_.kinesis = DesiredKinesis{
      std::string(stream), std::string(kinesis->text_in("ApproximateCreationDateTimePrecision"))};
}

void TableDraft::finish() {
  if (is_broken_) return;
  std::string name;
  append_json_string(name, table_.name);
  body_.insert(body_.begin(), {"TableName", std::move(name)});
  table_.create_body = json_object(body_);
  reading_.tables.push_back(std::move(table_));
}

}  // namespace stator::templates
