#include "server/templates/intrinsics/evaluator.h"

#include <utility>

#include "server/templates/tree/node_values.h"

namespace stator::templates {
namespace {

// Of functions in functions, in parameters, conditions and names of tables. Each takes some frames.
constexpr std::size_t kCallsMax = 500;

constexpr std::string_view kFunctionPrefix = "Fn::";

constexpr std::string_view kLoopPrefix = "Fn::ForEach::";

// A loop is no function: it is a member among others, which stands for those that it makes.
bool is_function(std::string_view name) {
  return name == "Ref" || (name.starts_with(kFunctionPrefix) && !name.starts_with(kLoopPrefix));
}

}  // namespace

Evaluator::Evaluator(Forest& forest, const Node& root, const ReadOptions& options,
                     std::string stack_name)
    : forest_(forest), root_(root), options_(options), stack_name_(std::move(stack_name)) {
  sections_.reserve(3);  // the indexes refer to its elements
}

const std::map<std::string_view, Evaluator::Function>& Evaluator::functions() {
  static const std::map<std::string_view, Function> kFunctions = {
      {"Ref", &Evaluator::ref},
      {"Fn::And", &Evaluator::all_of},
      {"Fn::Base64", &Evaluator::base64},
      {"Fn::Equals", &Evaluator::equals},
      {"Fn::FindInMap", &Evaluator::find_in_map},
      {"Fn::GetAtt", &Evaluator::get_att},
      {"Fn::If", &Evaluator::choose},
      {"Fn::ImportValue", &Evaluator::import_value},
      {"Fn::Join", &Evaluator::join},
      {"Fn::Length", &Evaluator::length},
      {"Fn::Not", &Evaluator::negate},
      {"Fn::Or", &Evaluator::any_of},
      {"Fn::Select", &Evaluator::select},
      {"Fn::Split", &Evaluator::split},
      {"Fn::Sub", &Evaluator::sub},
      {"Fn::ToJsonString", &Evaluator::to_json_string},
  };
  return kFunctions;
}

Evaluator::Index Evaluator::index_of(std::string_view section) {
  Index index;
  const Node* const found = root_.find(section);
  if (found == nullptr) return index;
  const auto top = resolve_top(*found);
  if (!top) return index;  // then its names are unknown, which is a mistake where they are needed
  const Node& all = sections_.emplace_back(*top);
  for (const Member& member : all.members()) index.emplace(member.name, &member.value);
  return index;
}

Resolution Evaluator::truth(bool is_true, Spot spot) {
  return Node::scalar(is_true ? "true" : "false", /*is_quoted=*/false, spot);
}

Resolution Evaluator::resolve(const Node& node) { return resolve_inner(node, /*is_deep=*/true); }

Resolution Evaluator::resolve_top(const Node& node) {
  return resolve_inner(node, /*is_deep=*/false);
}

Resolution Evaluator::resolve_inner(const Node& node, bool is_deep) {
  if (*depth_ >= kCallsMax) return fail(node.spot(), "what this refers to is nested too deeply");
  if (forest_.is_exhausted()) return fail(node.spot(), "functions and variables produce too much");
  ++*depth_;
  Resolution result = [&]() -> Resolution {
    if (node.is_scalar()) {
      Resolution expanded = resolve_scalar(node);
      if (!expanded || expanded->is_scalar()) return expanded;
      return resolve_inner(*expanded, is_deep);
    }
    if (node.members().size() == 1 && is_function(node.members().front().name))
      return call(node.members().front(), is_deep);
    if (!is_deep) return node;
    return node.is_list() ? resolve_list(node) : resolve_map(node);
  }();
  --*depth_;
  return result;
}

Resolution Evaluator::resolve_scalar(const Node& node) {
  Resolution result = node;
  if (expand_ && node.text().find("${") != std::string_view::npos) result = expand_(node);
  if (result && result->text().find("{{resolve:") != std::string_view::npos)
    return fail(node.spot(),
                compose({"'", result->text(),
                         "' is known to AWS alone; write the value, or a parameter for it"}));
  return result;
}

Resolution Evaluator::resolve_list(const Node& list) {
  std::vector<Node> elements;
  for (const Node& element : list.elements()) {
    auto resolved = resolve(element);
    if (!resolved) return resolved;
    if (!resolved->is_nothing()) elements.push_back(*resolved);
  }
  return forest_.make_list(elements, list.spot());
}

Resolution Evaluator::resolve_map(const Node& map) {
  std::vector<Member> members;
  for (const Member& member : map.members()) {
    if (member.name.starts_with(kFunctionPrefix))
      return fail(member.spot, compose({member.name,
                                        " among members is not evaluated here; "
                                        "give the template as AWS processed it"}));
    auto resolved = resolve(member.value);
    if (!resolved) return resolved;
    if (!resolved->is_nothing()) members.push_back({member.name, *resolved, member.spot});
  }
  return forest_.make_map(members, map.spot());
}

Resolution Evaluator::call(const Member& function, bool is_deep) {
  const auto found = functions().find(function.name);
  if (found == functions().end())
    return fail(function.spot, compose({function.name,
                                        " is not evaluated here; write its value, or give the "
                                        "template as AWS processed it"}));
  // What Fn::If chooses is evaluated as deep as asked; what other functions give has no functions.
  if (function.name == "Fn::If" && !is_deep) {
    auto chosen = choose(function.value, function.spot);
    if (!chosen) return chosen;
    return resolve_inner(*chosen, false);
  }
  auto result = (this->*found->second)(function.value, function.spot);
  if (result && function.name == "Fn::If") return resolve(*result);
  return result;
}

}  // namespace stator::templates
