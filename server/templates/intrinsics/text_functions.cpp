// Fn::Sub, Join, Split, Select, Base64, ToJsonString, Length.
#include <charconv>

#include "protocol/text/base64.h"
#include "server/templates/intrinsics/evaluator.h"
#include "server/templates/intrinsics/lists.h"
#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

// Elements as one text; empty if one is no text.
std::optional<std::string> joined(const Node& list, std::string_view separator) {
  std::string text;
  bool is_first = true;
  for (const Node& element : list.elements()) {
    if (!element.is_scalar()) return std::nullopt;
    if (!is_first) text += separator;
    is_first = false;
    text += element.text();
    if (text.size() > kMadeBytesMax) return std::nullopt;
  }
  return text;
}

}  // namespace

Resolution Evaluator::sub(const Node& argument, Spot spot) {
  if (argument.is_list()) {
    const auto parts = argument.elements();
    if (parts.size() != 2 || !parts[0].is_scalar() || !parts[1].is_map())
      return fail(spot, "Fn::Sub has a text, or a list of a text and a map");
    auto text = resolve_scalar(parts[0]);
    if (!text) return text;
    return sub_text(text->text(), &parts[1], spot);
  }
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  if (!resolved->is_scalar())
    return fail(spot, "Fn::Sub has a text, or a list of a text and a map");
  return sub_text(resolved->text(), nullptr, spot);
}

Resolution Evaluator::sub_text(std::string_view text, const Node* variables, Spot spot) {
  std::string result;
  while (true) {
    const std::size_t start = text.find("${");
    result += text.substr(0, start);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start + 2);
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) return fail(spot, "'${' has no '}' in Fn::Sub");
    const std::string_view name = trim_blanks(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (name.starts_with('!')) {
      result.append("${").append(name.substr(1)).append("}");
      continue;
    }
    auto value = sub_name(name, variables, spot);
    if (!value) return value;
    const auto list = value->is_list() ? joined(*value, ",") : std::nullopt;
    if (!value->is_scalar() && !list) return fail(spot, compose({"${", name, "} is no text"}));
    result += list ? std::string_view(*list) : value->text();
    if (result.size() > kMadeBytesMax) return fail(spot, "Fn::Sub gives too much text");
  }
  return this->text(result, spot);
}

Resolution Evaluator::sub_name(std::string_view name, const Node* variables, Spot spot) {
  if (variables != nullptr)
    if (const Node* const own = variables->find(name)) return resolve(*own);
  const std::size_t point = name.find('.');
  if (point == std::string_view::npos) return value_of(name, spot);
  return attribute_of(name.substr(0, point), name.substr(point + 1), spot);
}

Resolution Evaluator::join(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  const auto parts = resolved->elements();
  if (parts.size() != 2 || !parts[0].is_scalar() || !parts[1].is_list())
    return fail(spot, "Fn::Join has a separator and a list");
  const auto result = joined(parts[1], parts[0].text());
  if (!result) return fail(spot, "Fn::Join has a list of texts");
  return text(*result, spot);
}

Resolution Evaluator::split(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  const auto parts = resolved->elements();
  if (parts.size() != 2 || parts[0].text().empty() || !parts[1].is_scalar())
    return fail(spot, "Fn::Split has a separator and a text");
  std::vector<Node> elements;
  for (const std::string_view part : split_text(parts[1].text(), parts[0].text()))
    elements.push_back(forest_.make_scalar(part, /*is_quoted=*/true, spot));
  return forest_.make_list(elements, spot);
}

Resolution Evaluator::select(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  const auto parts = resolved->elements();
  if (parts.size() != 2 || !parts[1].is_list())
    return fail(spot, "Fn::Select has an index and a list");
  const auto digits = integer_of(parts[0]);
  std::size_t index = parts[1].elements().size();
  if (digits) std::from_chars(digits->data(), digits->data() + digits->size(), index);
  if (index >= parts[1].elements().size())
    return fail(spot, compose({"Fn::Select has no element ", parts[0].text()}));
  return parts[1].elements()[index];
}

Resolution Evaluator::base64(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  if (!resolved->is_scalar()) return fail(spot, "Fn::Base64 has a text");
  std::string encoded;
  append_base64(encoded, resolved->text());
  return text(encoded, spot);
}

Resolution Evaluator::to_json_string(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  std::string json;
  append_json(json, *resolved);
  return text(json, spot);
}

Resolution Evaluator::length(const Node& argument, Spot spot) {
  auto resolved = resolve(argument);
  if (!resolved) return resolved;
  if (!resolved->is_list()) return fail(spot, "Fn::Length has a list");
  return forest_.make_scalar(std::to_string(resolved->elements().size()), false, spot);
}

}  // namespace stator::templates
