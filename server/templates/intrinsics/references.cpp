// Names: Ref, Fn::GetAtt, Fn::FindInMap, Fn::ImportValue, and what parameters are.
#include <algorithm>

#include "server/templates/intrinsics/evaluator.h"
#include "server/templates/intrinsics/lists.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

// The last value of a name.
const std::string* value_in(const std::vector<NamedText>& values, std::string_view name) {
  const auto found = std::find_if(values.rbegin(), values.rend(),
                                  [&](const NamedText& value) { return value.first == name; });
  return found == values.rend() ? nullptr : &found->second;
}

bool is_list_type(std::string_view type) {
  return type == "CommaDelimitedList" || type.starts_with("List<");
}

bool allows(const Node& declared, std::string_view value) {
  const Node* const allowed = declared.find("AllowedValues");
  if (allowed == nullptr) return true;
  return std::any_of(allowed->elements().begin(), allowed->elements().end(),
                     [&](const Node& one) { return one.text() == value; });
}

std::string allowed_list(const Node& declared) {
  std::string list;
  for (const Node& one : declared.find("AllowedValues")->elements()) {
    if (!list.empty()) list += ", ";
    list += one.text();
  }
  return list;
}

std::string_view partition_of(std::string_view region) {
  if (region.starts_with("cn-")) return "aws-cn";
  return region.starts_with("us-gov-") ? "aws-us-gov" : "aws";
}

}  // namespace

std::string Evaluator::table_arn(std::string_view name) const {
  return compose({"arn:", partition_of(options_.region), ":dynamodb:", options_.region, ":",
                  options_.account_id, ":table/", name});
}

std::optional<std::string> Evaluator::pseudo_parameter(std::string_view name) const {
  if (name == "AWS::Region") return options_.region;
  if (name == "AWS::AccountId") return options_.account_id;
  if (name == "AWS::StackName") return stack_name_;
  const std::string_view partition = partition_of(options_.region);
  if (name == "AWS::Partition") return std::string(partition);
  if (name == "AWS::URLSuffix") return partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  if (name == "AWS::StackId") {
    return compose({"arn:", partition, ":cloudformation:", options_.region, ":",
                    options_.account_id, ":stack/", stack_name_,
                    "/00000000-0000-0000-0000-000000000000"});
  }
  return std::nullopt;
}

Resolution Evaluator::ref(const Node& argument, Spot spot) {
  auto name = resolve(argument);
  if (!name) return name;
  if (!name->is_scalar() || name->text().empty()) return fail(spot, "Ref has a name");
  return value_of(name->text(), spot);
}

Resolution Evaluator::value_of(std::string_view name, Spot spot) {
  if (name == "AWS::NoValue") return Node();
  if (const auto pseudo = pseudo_parameter(name)) return text(*pseudo, spot);
  if (!parameters_) parameters_ = index_of("Parameters");
  if (const auto found = parameters_->find(name); found != parameters_->end())
    return parameter(name, *found->second, spot);
  if (table_name_) {
    const auto table = table_name_(name);
    if (!table) return tl::unexpected(table.error());
    if (*table) return text(**table, spot);
  }
  if (root_.find("Resources") != nullptr && root_.find("Resources", name) != nullptr)
    return fail(spot,
                compose({"resource ", name, " is no table, so its value is known to AWS alone"}));
  return fail(spot, compose({"there is no parameter or resource ", name}));
}

// A key of the Parameter Store is no value.
Told Evaluator::parents_value(std::string_view name, const Node& declared) const {
  if (!others_.parameter || declared.text_in("Type").starts_with("AWS::SSM::")) return {};
  return others_.parameter(name);
}

Resolution Evaluator::parameter(std::string_view name, const Node& declared, Spot spot) {
  const Told told = parents_value(name, declared);
  if (told && *told) return parameter_value(name, declared, **told, spot);
  if (const std::string* const given = value_in(options_.parameters, name))
    return parameter_value(name, declared, *given, spot);
  const std::string_view type = declared.text_in("Type");
  if (!told) {
    return fail(spot, compose({"parameter ", name, ": ", told.error().message(),
                               "; give its value: --param ", name, "=VALUE"}));
  }
  const std::string_view description = declared.text_in("Description");
  const Node* const standard = declared.find("Default");
  const bool is_stored = type.starts_with("AWS::SSM::");
  if (standard != nullptr && standard->is_scalar() && !is_stored)
    return parameter_value(name, declared, standard->text(), spot);
  // A default that is empty on purpose reads as null without quotes.
  std::string said = compose({"parameter ", name, " (", type.empty() ? "String" : type,
                              description.empty() ? "" : ": ", description, ") "});
  said += is_stored ? "is in the Parameter Store of AWS" : "has no default";
  said.append("; give its value: --param ").append(name).append("=VALUE");
  return fail(spot, said);
}

Resolution Evaluator::parameter_value(std::string_view name, const Node& declared,
                                      std::string_view value, Spot spot) {
  const std::string_view type = declared.text_in("Type");
  const auto refuse = [&](std::string_view wrong) {
    return fail(spot, compose({"parameter ", name, " is '", wrong, "', but may be ",
                               allowed_list(declared)}));
  };
  if (!is_list_type(type)) {
    if (!allows(declared, value)) return refuse(value);
    return text(value, spot);
  }
  std::vector<Node> elements;
  for (const std::string_view part : split_text(value, ",")) {
    const std::string_view trimmed = trim_blanks(part);
    if (!allows(declared, trimmed)) return refuse(trimmed);
    elements.push_back(forest_.make_scalar(trimmed, /*is_quoted=*/true, spot));
  }
  return forest_.make_list(elements, spot);
}

Resolution Evaluator::get_att(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  if (resolved->is_scalar()) {
    const std::string_view both = resolved->text();
    const std::size_t point = both.find('.');
    if (point != std::string_view::npos)
      return attribute_of(both.substr(0, point), both.substr(point + 1), spot);
  }
  const auto parts = resolved->elements();
  if (parts.size() != 2) return fail(spot, "Fn::GetAtt has a resource and an attribute");
  return attribute_of(parts[0].text(), parts[1].text(), spot);
}

Resolution Evaluator::attribute_of(std::string_view id, std::string_view attribute, Spot spot) {
  if (table_name_) {
    const auto table = table_name_(id);
    if (!table) return tl::unexpected(table.error());
    if (*table && attribute == "Arn") return text(table_arn(**table), spot);
    if (*table)
      return fail(spot, compose({attribute, " of table ", id, " exists only after its creation"}));
  }
  constexpr std::string_view kOutputs = "Outputs.";
  if (others_.output && attribute.starts_with(kOutputs)) {
    const Told told = others_.output(id, attribute.substr(kOutputs.size()));
    if (!told) return fail(spot, compose({attribute, " of ", id, ": ", told.error().message()}));
    if (*told) return text(**told, spot);
  }
  if (root_.find("Resources", id) == nullptr)
    return fail(spot, compose({"there is no resource ", id}));
  return fail(spot, compose({attribute, " of resource ", id,
                             ", which is no table, is known to "
                             "AWS alone"}));
}

Resolution Evaluator::find_in_map(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  const auto parts = resolved->elements();
  if (parts.size() < 3) return fail(spot, "Fn::FindInMap has the names of a map and of two keys");
  if (!mappings_) mappings_ = index_of("Mappings");
  const auto map = mappings_->find(parts[0].text());
  const Node* first = map == mappings_->end() ? nullptr : map->second;
  Resolution top = Node();
  if (first != nullptr) {
    top = resolve_top(*first);
    if (!top) return top;
    first = &*top;
  }
  const Node* const found =
      first == nullptr ? nullptr : first->find(parts[1].text(), parts[2].text());
  if (found != nullptr) return resolve(*found);
  if (parts.size() > 3 && parts[3].find("DefaultValue") != nullptr)
    return *parts[3].find("DefaultValue");
  return fail(spot, compose({"there is no value ", parts[0].text(), ".", parts[1].text(), ".",
                             parts[2].text(), " in Mappings"}));
}

Resolution Evaluator::import_value(const Node& argument, Spot spot) {
  auto name = resolve(argument);
  if (!name) return name;
  if (const std::string* const given = value_in(options_.imports, name->text()))
    return text(*given, spot);
  const Told told = others_.exported ? others_.exported(name->text()) : Told();
  if (!told) return fail(spot, told.error().message());
  if (*told) return text(**told, spot);
  return fail(spot,
              compose({"no other file exports ", name->text(),
                       ": add the file that does, or --import-value ", name->text(), "=VALUE"}));
}

}  // namespace stator::templates
