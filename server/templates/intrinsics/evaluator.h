// Evaluator: the functions of CloudFormation, on request: `Ref`, `Fn::Sub`, conditions, parameters,
// mappings, pseudo parameters. Only what is asked for is evaluated, so that a part which cannot be
// resolved matters only where a table needs it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

#include "server/templates/read_templates.h"
#include "server/templates/tree/forest.h"

namespace stator::templates {

// A node without functions, or why there is none.
using Resolution = tl::expected<Node, Mistake>;

// A text that another template may have, or why it has none; empty if no template says it.
using Told = tl::expected<std::optional<std::string>, Mistake>;

// What the other templates of the same command say.
struct OtherStacks {
  std::function<Told(std::string_view name)> exported = {};
  // What the parent gives this nested stack.
  std::function<Told(std::string_view name)> parameter = {};
  // Of a nested stack, by its logical id.
  std::function<Told(std::string_view id, std::string_view name)> output = {};
  // Whether the parent's conditions make this nested stack.
  std::function<tl::expected<bool, Mistake>()> is_made = {};
};

class Evaluator {
 public:
  // What a scalar stands for before functions are looked at, such as ${self:…} of serverless.yml.
  // Gives the scalar itself if that is nothing else.
  using Expand = std::function<Resolution(const Node& scalar)>;
  // The name of the table with a logical id; empty if the resource is no table.
  using TableName = std::function<Told(std::string_view id)>;

  // `root` is the template. All must outlive the evaluator. `stack_name` is for AWS::StackName.
  Evaluator(Forest& forest, const Node& root, const ReadOptions& options, std::string stack_name);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  void set_expand(Expand expand) { expand_ = std::move(expand); }
  void set_table_name(TableName table_name) { table_name_ = std::move(table_name); }
  // `depth` counts calls of all evaluators that may call each other. It must outlive them.
  void set_others(OtherStacks others, std::size_t& depth) {
    others_ = std::move(others);
    depth_ = &depth;
  }

  // Evaluates all functions in a node. Nothing if the node is AWS::NoValue; members and elements
  // that are, are left out.
  Resolution resolve(const Node& node);
  // Evaluates the node's own function and expands it, but not what it contains.
  Resolution resolve_top(const Node& node);
  // Of a named condition; `spot` is where it is named.
  tl::expected<bool, Mistake> condition(std::string_view name, Spot spot);
  // The ARN of a table.
  std::string table_arn(std::string_view name) const;

  Forest& forest() { return forest_; }
  const ReadOptions& options() const { return options_; }
  const std::string& stack_name() const { return stack_name_; }
  const OtherStacks& others() const { return others_; }

 private:
  using Function = Resolution (Evaluator::*)(const Node& argument, Spot spot);
  using Index = std::unordered_map<std::string_view, const Node*>;
  static const std::map<std::string_view, Function>& functions();

  Index index_of(std::string_view section);
  tl::unexpected<Mistake> fail(Spot spot, std::string text) const {
    return tl::unexpected(forest_.mistake(spot, std::move(text)));
  }
  Resolution resolve_inner(const Node& node, bool is_deep);
  Resolution resolve_scalar(const Node& node);
  Resolution resolve_list(const Node& list);
  Resolution resolve_map(const Node& map);
  Resolution call(const Member& function, bool is_deep);
  Resolution text(std::string_view text, Spot spot) {
    return forest_.make_scalar(text, /*is_quoted=*/true, spot);
  }
  Resolution truth(bool is_true, Spot spot);

  // references.cpp
  Resolution ref(const Node& argument, Spot spot);
  Resolution get_att(const Node& argument, Spot spot);
  Resolution find_in_map(const Node& argument, Spot spot);
  Resolution import_value(const Node& argument, Spot spot);
  // The value of a name, as Ref gives it; `is_known` is false if there is no such name.
  Resolution value_of(std::string_view name, Spot spot);
  std::optional<std::string> pseudo_parameter(std::string_view name) const;
  Resolution parameter(std::string_view name, const Node& declared, Spot spot);
  Told parents_value(std::string_view name, const Node& declared) const;
  Resolution parameter_value(std::string_view name, const Node& declared, std::string_view value,
                             Spot spot);
  Resolution attribute_of(std::string_view id, std::string_view attribute, Spot spot);

  // text_functions.cpp
  Resolution sub(const Node& argument, Spot spot);
  Resolution sub_text(std::string_view text, const Node* variables, Spot spot);
  Resolution sub_name(std::string_view name, const Node* variables, Spot spot);
  Resolution join(const Node& argument, Spot spot);
  Resolution split(const Node& argument, Spot spot);
  Resolution select(const Node& argument, Spot spot);
  Resolution base64(const Node& argument, Spot spot);
  Resolution to_json_string(const Node& argument, Spot spot);
  Resolution length(const Node& argument, Spot spot);

  // conditions.cpp
  Resolution choose(const Node& argument, Spot spot);
  Resolution equals(const Node& argument, Spot spot);
  Resolution all_of(const Node& argument, Spot spot);
  Resolution any_of(const Node& argument, Spot spot);
  Resolution negate(const Node& argument, Spot spot);
  Resolution combine(const Node& argument, Spot spot, bool stops_at);
  tl::expected<bool, Mistake> evaluate_condition(const Node& node);

  Forest& forest_;
  const Node& root_;
  const ReadOptions& options_;
  const std::string stack_name_;
  Expand expand_;
  TableName table_name_;
  OtherStacks others_;
  std::optional<Index> parameters_;
  std::optional<Index> conditions_;
  std::optional<Index> mappings_;
  std::vector<Node> sections_;  // what the indexes refer to
  std::unordered_map<std::string, std::optional<bool>> known_conditions_;  // empty: in evaluation
  std::size_t own_depth_ = 0;
  std::size_t* depth_ = &own_depth_;
};

}  // namespace stator::templates
