#include "server/templates/stacks/stack_links.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace stator::templates {
namespace {

namespace fs = std::filesystem;

std::string identity_of(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return (error ? path : found).lexically_normal().string();
}

// The file of a nested stack as its parent names it; empty for addresses, and what is no stack.
std::string_view nested_file(const Node& resource) {
  const std::string_view type = resource.text_in("Type");
  if (type != "AWS::CloudFormation::Stack" && type != "AWS::Serverless::Application") return {};
  // CDK uploads its assets, and says here what they were.
  const Node* found = resource.find("Metadata", "aws:asset:path");
  for (const std::string_view name : {"TemplateURL", "Location"})
    if (found == nullptr) found = resource.find("Properties", name);
  const std::string_view file = found == nullptr ? std::string_view() : found->text();
  return file.find("://") == std::string_view::npos ? file : std::string_view();
}

// As a parameter has it: a list with commas.
std::string parameter_text(const Node& value) {
  std::string text(value.text());
  for (const Node& element : value.elements())
    text.append(text.empty() ? "" : ",").append(element.text());
  return text;
}

// Holds a name in a set while it lives.
class Opening {
 public:
  using Names = std::set<std::pair<const Stack*, std::string>>;

  Opening(Names& names, const Stack& stack, std::string name) : names_(names) {
    const auto [place, is_new] = names.emplace(&stack, std::move(name));
    place_ = place;
    is_new_ = is_new;
  }
  ~Opening() {
    if (is_new_) names_.erase(place_);
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  bool is_first() const { return is_new_; }

 private:
  Names& names_;
  Names::iterator place_;
  bool is_new_ = false;
};

}  // namespace

StackLinks::StackLinks(std::vector<Stack*> stacks) : stacks_(std::move(stacks)) {
  for (Stack* const stack : stacks_)
    if (stack->path != "-") files_.emplace(identity_of(stack->path), stack);
  for (Stack* const stack : stacks_) find_parents(*stack);
  for (Stack* const stack : stacks_) {
    OtherStacks others;
    others.exported = [this, stack](std::string_view name) { return exported(*stack, name); };
    others.output = [this, stack](std::string_view id, std::string_view name) {
      return output(*stack, id, name);
    };
    if (parents_.contains(stack)) {
      others.parameter = [this, stack](std::string_view name) { return parameter(*stack, name); };
      others.is_made = [this, stack] { return is_made(*stack); };
    }
    stack->evaluator.set_others(std::move(others), depth_);
  }
}

void StackLinks::find_parents(Stack& stack) {
  const Node* const resources = stack.root.find("Resources");
  if (resources == nullptr) return;
  for (const Member& member : resources->members()) {
    const std::string_view file = nested_file(member.value);
    if (file.empty()) continue;
    const auto child = files_.find(identity_of(fs::path(stack.path).parent_path() / file));
    if (child != files_.end() && child->second != &stack)
      parents_.try_emplace(child->second, Parent{&stack, member.name, member.value});
  }
}

void StackLinks::find_exports() {
  exports_.emplace();
  for (Stack* const stack : stacks_) {
    const Node* const section = stack->root.find("Outputs");
    if (section == nullptr) continue;
    const auto outputs = stack->evaluator.resolve_top(*section);
    if (!outputs) continue;
    stack->reader.find_tables();
    for (const Member& member : outputs->members()) {
      const Node* const name = member.value.find("Export", "Name");
      if (name == nullptr) continue;
      // A name that needs a value which is not given is no name of an export.
      const auto text = stack->evaluator.resolve(*name);
      if (text && text->is_scalar())
        exports_->emplace(std::string(text->text()), Output{stack, member.name, member.value});
    }
  }
}

Told StackLinks::exported(const Stack& importer, std::string_view name) {
  if (!exports_) find_exports();
  const Output* found = nullptr;
  const auto [first, last] = exports_->equal_range(name);
  for (auto at = first; at != last; ++at) {
    const Output& output = at->second;
    if (output.stack == &importer) continue;
    if (found != nullptr) {
      return tl::unexpected(output.stack->evaluator.forest().mistake(
          output.node.spot(), compose({"export ", name, " is in ", found->stack->path, " too"})));
    }
    found = &output;
  }
  if (found == nullptr) return {};
  return value_of(*found);
}

Told StackLinks::value_of(const Output& output) {
  Evaluator& evaluator = output.stack->evaluator;
  const Opening opening(open_, *output.stack, compose({"Outputs.", output.id}));
  if (!opening.is_first()) {
    return tl::unexpected(evaluator.forest().mistake(
        output.node.spot(), compose({"output ", output.id, " refers to itself"})));
  }
  output.stack->reader.find_tables();
  if (const Node* const condition = output.node.find("Condition")) {
    const auto is_there = evaluator.condition(condition->text(), condition->spot());
    if (!is_there) return tl::unexpected(is_there.error());
    if (!*is_there) return {};
  }
  const Node* const value = output.node.find("Value");
  if (value == nullptr) {
    return tl::unexpected(evaluator.forest().mistake(
        output.node.spot(), compose({"output ", output.id, " has no Value"})));
  }
  const auto resolved = evaluator.resolve(*value);
  if (!resolved) return tl::unexpected(resolved.error());
  return std::optional(parameter_text(*resolved));
}

Told StackLinks::parameter(Stack& child, std::string_view name) {
  const Parent& parent = parents_.at(&child);
  const Node* const given = parent.node.find("Properties", "Parameters");
  const Node* const value = given == nullptr ? nullptr : given->find(name);
  if (value == nullptr) return {};
  const Opening opening(open_, child, compose({"Parameters.", name}));
  if (!opening.is_first()) {
    return tl::unexpected(parent.stack->evaluator.forest().mistake(
        value->spot(), compose({"parameter ", name, " refers to itself"})));
  }
  parent.stack->reader.find_tables();
  const auto resolved = parent.stack->evaluator.resolve(*value);
  if (!resolved) return tl::unexpected(resolved.error());
  if (resolved->is_nothing()) return {};
  return std::optional(parameter_text(*resolved));
}

Told StackLinks::output(const Stack& parent, std::string_view id, std::string_view name) {
  for (const auto& [child, link] : parents_) {
    if (link.stack != &parent || link.id != id) continue;
    const Node* const outputs = child->root.find("Outputs");
    const Node* const found = outputs == nullptr ? nullptr : outputs->find(name);
    if (found == nullptr) return {};
    return value_of({child, name, *found});
  }
  return {};
}

tl::expected<bool, Mistake> StackLinks::is_made(Stack& child) {
  const Opening opening(open_, child, "Condition");
  if (!opening.is_first()) return true;
  const Parent& parent = parents_.at(&child);
  if (const Node* const condition = parent.node.find("Condition")) {
    parent.stack->reader.find_tables();
    auto is_wanted = parent.stack->evaluator.condition(condition->text(), condition->spot());
    if (!is_wanted || !*is_wanted) return is_wanted;
  }
  return parents_.contains(parent.stack) ? is_made(*parent.stack) : true;
}

}  // namespace stator::templates
