// TableDraft: a table that a source puts together, member by member.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "server/templates/drafts/shapes.h"
#include "server/templates/read_templates.h"
#include "server/templates/tree/forest.h"

namespace stator::templates {

// What all sources share while the files are read.
struct Reading {
  const ReadOptions& options;
  std::vector<DesiredTable> tables = {};
  std::vector<Mistake> mistakes = {};
  std::vector<std::string> declared_parameters = {};  // of all templates
  std::vector<std::string> declared_tables = {};  // logical ids, also where a condition is false
  bool takes_any_parameter = false;               // ${param:…} of Serverless
};

class TableDraft {
 public:
  // Evaluates a value before it is read; of formats without functions the value itself.
  using Resolve = std::function<tl::expected<Node, Mistake>(const Node&)>;

  TableDraft(Reading& reading, const Forest& forest, std::string logical_id, Spot spot)
      : reading_(reading), forest_(forest), spot_(spot) {
    table_.logical_id = std::move(logical_id);
    table_.place = forest.place(spot);
  }

  void set_resolve(Resolve resolve) { resolve_ = std::move(resolve); }
  // The name that the options have for this table wins.
  void set_name(std::string_view name);
  DesiredTable& table() { return table_; }
  const Forest& forest() const { return forest_; }
  Spot spot() const { return spot_; }

  // Each with the name of the table in front.
  void mistake(Spot spot, std::string_view member, std::string_view text);
  // A mistake that the evaluation of a member gave.
  void pass_mistake(const Mistake& mistake, std::string_view member);
  void leave_out(std::string_view member) { table_.left_out.emplace_back(member); }

  // A member's value, evaluated; empty without it, and after a mistake, which is reported.
  std::optional<Node> value(const Node& properties, std::string_view name);
  // As `value`, but a value that cannot be evaluated leaves the member out.
  std::optional<Node> optional_value(const Node& properties, std::string_view name);
  // The member of a member, as a boolean; empty if not given. A mistake is reported.
  std::optional<bool> flag_in(const Node& object, std::string_view member, std::string_view name);

  // Adds a member to the body of CreateTable.
  void add(std::string_view name, std::string json);

  // Adds everything that AWS::DynamoDB::Table has; GlobalTable, SimpleTable and the other formats
  // arrange what they have in this form.
  void add_properties(const Node& properties);

  // Hands the table over, with its TableName. Nothing after a mistake.
  void finish();

 private:
  void add_shaped(const Node& properties);
  // The definitions without those that only vector indexes need; empty without such indexes.
  std::vector<Node> without_searched(const Node& definitions, const Node& properties) const;
  // A member's value; empty without it, or if it cannot be evaluated, which is not reported.
  std::optional<Node> known_value(const Node& properties, std::string_view name) const;
  void add_insights(const Node& indexes);
  void add_insight(std::string_view index, const Node& specification, std::string_view path);
  void add_stream(const Node& stream);
  void add_encryption(const Node& properties);
  void add_policy(const Node& properties);
  void add_ttl(const Node& specification);
  void add_recovery(const Node& specification);
  void add_kinesis(const Node& properties);

  Reading& reading_;
  const Forest& forest_;
  const Spot spot_;
  Resolve resolve_;
  DesiredTable table_;
  std::vector<std::pair<std::string, std::string>> body_;
  bool is_broken_ = false;
};

}  // namespace stator::templates
