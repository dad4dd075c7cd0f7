#include "tests/model/data_plane/requests/printing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace stator::model {
namespace {

// Names of the generator that may stand in an expression as they are.
bool is_plain_name(const std::string& name) {
  static constexpr std::array<std::string_view, 2> kReserved{"name", "size"};
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string_view sign_of(Comparator comparator) {
  static constexpr std::array<std::string_view, 6> kSigns{"=", "<>", "<", "<=", ">", ">="};
  return kSigns[static_cast<std::size_t>(comparator)];
}

int precedence_of(const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::Or:
      return 0;
    case Condition::Kind::And:
      return 1;
    case Condition::Kind::Not:
      return 2;
    default:
      return 3;
  }
}

Json arguments_json(const std::vector<Value>& arguments, Dice& dice) {
  Json list = Json::list();
  for (const Value& argument : arguments) list.array.push_back(to_request(argument, dice));
  return list;
}

Json comparison_json(const std::string& comparison, const std::vector<Value>& arguments,
                     Dice& dice) {
  Json json;
  json["ComparisonOperator"] = Json::string(comparison);
  if (!arguments.empty()) json["AttributeValueList"] = arguments_json(arguments, dice);
  return json;
}

// The three ways of Expected that need no operator.
Json expected_json(const LegacyEntry& entry, Dice& dice) {
  Json json;
  if (entry.comparison == "EQ" && dice.percent(50)) {
    if (dice.percent(50)) json["Exists"] = Json::boolean(true);
    json["Value"] = to_request(entry.arguments[0], dice);
  } else if (entry.comparison == "NULL" && dice.percent(50)) {
    json["Exists"] = Json::boolean(false);
  } else if (entry.arguments.size() == 1 && dice.percent(30)) {
    json["ComparisonOperator"] = Json::string(entry.comparison);
    json["Value"] = to_request(entry.arguments[0], dice);
  } else {
    json = comparison_json(entry.comparison, entry.arguments, dice);
  }
  return json;
}

}  // namespace

bool are_compatible(const Path& a, const Path& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].is_index != b[i].is_index) return false;
    if (a[i] != b[i]) return true;
  }
  return false;
}

std::string ExpressionPrinter::keyword(std::string_view word) {
  std::string text(word);
  const std::size_t style = dice_.below(6);
  if (style > 1) return text;
  for (char& c : text) {
    if (style == 0 || dice_.percent(50)) c = static_cast<char>(std::tolower(c));
  }
  return text;
}

std::string ExpressionPrinter::name(const std::string& name) {
  if (is_plain_name(name) && dice_.percent(70)) return name;
  const auto known = placeholder_of_name_.find(name);
  if (known != placeholder_of_name_.end() && dice_.percent(80)) return known->second;
  const std::string placeholder = "#n" + std::to_string(names_.size());
  placeholder_of_name_[name] = placeholder;
  names_[placeholder] = name;
  return placeholder;
}

std::string ExpressionPrinter::value(const Value& value) {
  for (const auto& [placeholder, known] : values_) {
    if (known == value && dice_.percent(50)) return placeholder;
  }
  values_.emplace_back(":v" + std::to_string(values_.size()), value);
  return values_.back().first;
}

std::string ExpressionPrinter::path(const Path& path) {
  std::string text = name(path[0].name);
  for (std::size_t i = 1; i < path.size(); ++i) {
    text += path[i].is_index ? "[" + std::to_string(path[i].index) + "]" : "." + name(path[i].name);
  }
  return text;
}

std::string ExpressionPrinter::operand(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Attribute:
      return path(operand.path);
    case Operand::Kind::Constant:
      return value(operand.constant);
    case Operand::Kind::SizeOfPath:
      return "size(" + path(operand.path) + ")";
    case Operand::Kind::SizeOfConstant:
      return "size (" + value(operand.constant) + ")";
  }
  return {};
}

std::string ExpressionPrinter::simple(const Condition& condition) {
  const auto& operands = condition.operands;
  const auto call = [&](std::string_view function) {
    std::string text = std::string(function) + "(" + operand(operands[0]);
    for (std::size_t i = 1; i < operands.size(); ++i) text += comma() + operand(operands[i]);
    return text + ")";
  };
  switch (condition.kind) {
    case Condition::Kind::Compare: {
      std::string left = operand(operands[0]);
      if (dice_.percent(5)) left = "(" + left + ")";
      const std::string gap = dice_.percent(20) ? "" : " ";
      return left + gap + std::string(sign_of(condition.comparator)) + gap + operand(operands[1]);
    }
    case Condition::Kind::Between: {
      std::string text = operand(operands[0]) + " " + keyword("BETWEEN") + " ";
      text += operand(operands[1]) + " " + keyword("AND") + " ";
      return text + operand(operands[2]);
    }
    case Condition::Kind::In: {
      std::string text = operand(operands[0]) + " " + keyword("IN") + " (" + operand(operands[1]);
      for (std::size_t i = 2; i < operands.size(); ++i) text += comma() + operand(operands[i]);
      return text + ")";
    }
    case Condition::Kind::Exists:
      return call("attribute_exists");
    case Condition::Kind::NotExists:
      return call("attribute_not_exists");
    case Condition::Kind::HasType:
      return call("attribute_type");
    case Condition::Kind::BeginsWith:
      return call("begins_with");
    case Condition::Kind::Contains:
      return call("contains");
    case Condition::Kind::Not:
      return keyword("NOT") + space() + nested(condition.children[0], 2);
    case Condition::Kind::And:
      // The operators associate to the left, so only the right side's equal needs parentheses.
      return nested(condition.children[0], 1) + space() + keyword("AND") + space() +
             nested(condition.children[1], 2);
    case Condition::Kind::Or:
      return nested(condition.children[0], 0) + space() + keyword("OR") + space() +
             nested(condition.children[1], 1);
  }
  return {};
}

std::string ExpressionPrinter::nested(const Condition& condition, int precedence_min) {
  if (precedence_of(condition) >= precedence_min && !dice_.percent(15)) return simple(condition);
  return "(" + simple(condition) + ")";
}

std::string ExpressionPrinter::condition(const Condition& condition) {
  return nested(condition, 0);
}

std::string ExpressionPrinter::expression(const Expression& expression) {
  const auto& parts = expression.parts;
  switch (expression.kind) {
    case Expression::Kind::Attribute:
      return path(expression.path);
    case Expression::Kind::Constant:
      return value(expression.constant);
    case Expression::Kind::IfNotExists: {
      const std::string tested = path(expression.path);
      return "if_not_exists(" + tested + comma() + this->expression(parts[0]) + ")";
    }
    case Expression::Kind::ListAppend: {
      const std::string first = this->expression(parts[0]);
      return "list_append(" + first + comma() + this->expression(parts[1]) + ")";
    }
    case Expression::Kind::Plus:
    case Expression::Kind::Minus: {
      const std::string sign = expression.kind == Expression::Kind::Plus ? "+" : "-";
      const std::string gap = dice_.percent(30) ? "" : " ";
      const std::string left = this->expression(parts[0]);
      const std::string sum = left + gap + sign + gap + this->expression(parts[1]);
      return dice_.percent(10) ? "(" + sum + ")" : sum;
    }
  }
  return {};
}

std::string ExpressionPrinter::update(const Update& update) {
  using Section = Action::Section;
  static constexpr std::string_view kWords[] = {"SET", "REMOVE", "ADD", "DELETE"};
  std::vector<Section> sections{Section::Set, Section::Remove, Section::Add, Section::Delete};
  dice_.shuffle(sections);
  std::string text;
  for (const Section section : sections) {
    bool is_first = true;
    for (const Action& action : update.actions) {
      if (action.section != section) continue;
      if (is_first) {
        if (!text.empty()) text += space();
        text += keyword(kWords[static_cast<std::size_t>(section)]) + space();
      } else {
        text += comma();
      }
      is_first = false;
      text += path(action.target);
      if (section == Section::Set) text += " = " + expression(action.value);
      if (section == Section::Add || section == Section::Delete) {
        text += " " + value(action.operand);
      }
    }
  }
  return text;
}

std::string ExpressionPrinter::projection(const std::vector<Path>& paths) {
  std::string text;
  for (const Path& one : paths) {
    if (!text.empty()) text += comma();
    text += path(one);
  }
  return text;
}

std::string ExpressionPrinter::key_part(const KeyCondition::Part& part) {
  static const std::map<std::string, std::string_view> kSigns{
      {"EQ", "="}, {"LT", "<"}, {"LE", "<="}, {"GT", ">"}, {"GE", ">="}};
  const std::string attribute = name(part.attribute);
  if (part.comparison == "BETWEEN") {
    const std::string lower = value(part.arguments[0]);
    return attribute + " " + keyword("BETWEEN") + " " + lower + " " + keyword("AND") + " " +
           value(part.arguments[1]);
  }
  const std::string argument = value(part.arguments[0]);
  if (part.comparison == "BEGINS_WITH")
    return "begins_with(" + attribute + comma() + argument + ")";
  if (part.comparison == "EQ" && dice_.percent(5)) return argument + " = " + attribute;
  return attribute + " " + std::string(kSigns.at(part.comparison)) + " " + argument;
}

std::string ExpressionPrinter::key_condition(const KeyCondition& condition) {
  std::vector<KeyCondition::Part> parts = condition.parts;
  dice_.shuffle(parts);
  std::string text;
  for (const auto& part : parts) {
    std::string one = key_part(part);
    if (parts.size() > 1 && dice_.percent(10)) one = "(" + one + ")";
    if (!text.empty()) text += " " + keyword("AND") + " ";
    text += one;
  }
  return text;
}

void ExpressionPrinter::finish(Json& request) const {
  for (const auto& [placeholder, name] : names_) {
    request["ExpressionAttributeNames"][placeholder] = Json::string(name);
  }
  for (const auto& [placeholder, value] : values_) {
    request["ExpressionAttributeValues"][placeholder] = to_request(value, dice_);
  }
}

void print_legacy_conditions(const LegacyConditions& conditions, const std::string& parameter,
                             Json& request, Dice& dice) {
  for (const LegacyEntry& entry : conditions.entries) {
    request[parameter][entry.attribute] =
        parameter == "Expected" ? expected_json(entry, dice)
                                : comparison_json(entry.comparison, entry.arguments, dice);
  }
  if (conditions.joins_by_or || (conditions.entries.size() > 1 && dice.percent(30))) {
    request["ConditionalOperator"] = Json::string(conditions.joins_by_or ? "OR" : "AND");
  }
}

void print_legacy_update(const Update& update, Json& request, Dice& dice) {
  using Section = Action::Section;
  Json updates;
  for (const Action& action : update.actions) {
    Json json;
    switch (action.section) {
      case Section::Set:
        json["Value"] = to_request(action.value.constant, dice);
        if (dice.percent(70)) json["Action"] = Json::string("PUT");
        break;
      case Section::Remove:
        json["Action"] = Json::string("DELETE");
        break;
      case Section::Add:
      case Section::Delete:
        json["Value"] = to_request(action.operand, dice);
        json["Action"] = Json::string(action.section == Section::Add ? "ADD" : "DELETE");
        break;
    }
    updates[action.target[0].name] = std::move(json);
  }
  request["AttributeUpdates"] = std::move(updates);
}

void print_legacy_key_condition(const KeyCondition& condition, Json& request, Dice& dice) {
  for (const auto& part : condition.parts) {
    request["KeyConditions"][part.attribute] =
        comparison_json(part.comparison, part.arguments, dice);
  }
}

}  // namespace stator::model
