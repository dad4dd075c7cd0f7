// Prints syntax trees as the parameters of a request: expressions with placeholders, or the older
// parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/model/data_plane/oracle/dice.h"
#include "tests/model/data_plane/oracle/json.h"
#include "tests/model/data_plane/oracle/syntax.h"

namespace stator::model {

// The expressions of one request, with the names and values they share.
class ExpressionPrinter {
 public:
  explicit ExpressionPrinter(Dice& dice) : dice_(dice) {}

  std::string condition(const Condition& condition);
  std::string update(const Update& update);
  std::string projection(const std::vector<Path>& paths);
  std::string key_condition(const KeyCondition& condition);

  // Sets ExpressionAttributeNames and ExpressionAttributeValues where there are any.
  void finish(Json& request) const;

 private:
  std::string keyword(std::string_view word);
  std::string space() { return dice_.percent(10) ? "  " : " "; }
  std::string comma() { return dice_.percent(30) ? "," : ", "; }
  std::string name(const std::string& name);
  std::string value(const Value& value);
  std::string path(const Path& path);
  std::string operand(const Operand& operand);
  std::string expression(const Expression& expression);
  std::string simple(const Condition& condition);
  std::string nested(const Condition& condition, int precedence_min);
  std::string key_part(const KeyCondition::Part& part);

  Dice& dice_;
  std::map<std::string, std::string> placeholder_of_name_;
  std::map<std::string, std::string> names_;  // placeholder to name
  std::vector<std::pair<std::string, Value>> values_;
};

// Expected, QueryFilter or ScanFilter, with ConditionalOperator beside it.
void print_legacy_conditions(const LegacyConditions& conditions, const std::string& parameter,
                             Json& request, Dice& dice);
// AttributeUpdates. REQUIRES: update.is_legacy.
void print_legacy_update(const Update& update, Json& request, Dice& dice);
// KeyConditions.
void print_legacy_key_condition(const KeyCondition& condition, Json& request, Dice& dice);

}  // namespace stator::model
