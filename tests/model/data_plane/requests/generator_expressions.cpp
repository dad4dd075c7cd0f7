// The generator's expressions: always valid by themselves, though they may not fit what is stored.
#include <algorithm>
#include <utility>

#include "tests/model/data_plane/oracle/semantics.h"
#include "tests/model/data_plane/requests/generator.h"

namespace stator::model {
namespace {

bool measures(Type type) { return type != Type::N && type != Type::Bool && type != Type::Null; }

Operand path_operand(Path path) { return {Operand::Kind::Attribute, std::move(path), {}}; }
Operand constant_operand(Value value) { return {Operand::Kind::Constant, {}, std::move(value)}; }

Condition node(Condition::Kind kind, std::vector<Operand> operands) {
  Condition condition;
  condition.kind = kind;
  condition.operands = std::move(operands);
  return condition;
}

Condition parent(Condition::Kind kind, std::vector<Condition> children) {
  Condition condition;
  condition.kind = kind;
  condition.children = std::move(children);
  return condition;
}

Expression constant_part(Value value) {
  Expression part;
  part.constant = std::move(value);
  return part;
}

}  // namespace

Path Generator::path(const Scope& scope) {
  const std::string& name = dice_.any(scope.names);
  Path path{member_step(name)};
  if (scope.keys.contains(name)) return path;
  const bool is_list = name[0] == 'l';
  std::size_t steps = is_list || name[0] == 'm' ? dice_.below(4) : dice_.percent(5) ? 1 : 0;
  bool next_is_index = is_list;
  for (; steps > 0; --steps) {
    if (dice_.percent(5)) next_is_index = !next_is_index;
    if (next_is_index) {
      path.push_back(index_step(dice_.percent(5) ? 1'000'000 : dice_.below(4)));
      next_is_index = dice_.percent(40);
    } else {
      path.push_back(member_step(dice_.any({"x", "y", "l1", "m1", "name"})));
      next_is_index = path.back().name == "l1";
    }
  }
  return path;
}

// A constant that a comparison with the path may well meet.
Value Generator::constant_near(const Path& path, const Item* sample) {
  if (sample != nullptr && dice_.percent(60)) {
    if (const Value* found = find(*sample, path)) {
      Value value = *found;
      if (is_scalar_key(value.type) && dice_.percent(30)) return this->value_of(value.type, 0);
      return value;
    }
  }
  return value(2);
}

Value Generator::ordered_constant(const Path& path, const Item* sample) {
  Value value = constant_near(path, sample);
  while (!is_scalar_key(value.type)) value = this->value(0);
  return value;
}

Operand Generator::operand(const Scope& scope) {
  switch (dice_.below(6)) {
    case 0:
      return {Operand::Kind::SizeOfPath, path(scope), {}};
    case 1: {
      Value measured = value(1);
      while (!measures(measured.type)) measured = value(1);
      return {Operand::Kind::SizeOfConstant, {}, std::move(measured)};
    }
    default:
      return path_operand(path(scope));
  }
}

Condition Generator::simple_condition(const Scope& scope, const Item* sample) {
  using Kind = Condition::Kind;
  const Path tested = path(scope);
  const bool is_size = dice_.percent(15);
  const Operand first =
      is_size ? Operand{Operand::Kind::SizeOfPath, tested, {}} : path_operand(tested);
  const auto ordered = [&] {
    return is_size ? Value::of_number(Decimal::of(dice_.below(5)))
                   : ordered_constant(tested, sample);
  };
  switch (dice_.below(10)) {
    case 0:
      return node(Kind::Exists, {path_operand(tested)});
    case 1:
      return node(Kind::NotExists, {path_operand(tested)});
    case 2:
      return node(Kind::HasType, {path_operand(tested),
                                  constant_operand(Value::of_string(std::string(type_name(
                                      dice_.any({Type::S, Type::N, Type::L, Type::M, Type::SS,
                                                 Type::Null, Type::Bool, Type::BS})))))});
    case 3: {
      Value prefix = value_of(dice_.any({Type::S, Type::B}), 0);
      return node(Kind::BeginsWith, {path_operand(tested), constant_operand(std::move(prefix))});
    }
    case 4: {
      Value wanted = value(1);
      const Value* found = sample != nullptr ? find(*sample, tested) : nullptr;
      if (found != nullptr && !found->list.empty()) wanted = dice_.any(found->list);
      if (found != nullptr && !found->texts.empty()) {
        wanted = value_of(found->type == Type::SS ? Type::S : Type::B, 0);
      }
      if (found != nullptr && !found->numbers.empty()) {
        wanted = Value::of_number(*found->numbers.begin());
      }
      return node(Kind::Contains, {path_operand(tested), constant_operand(std::move(wanted))});
    }
    case 5: {
      Value lower = ordered();
      Value upper = ordered();
      if (lower.type != upper.type) upper = lower;
      if (order_of(upper, lower) < 0) std::swap(lower, upper);
      return node(Kind::Between,
                  {first, constant_operand(std::move(lower)), constant_operand(std::move(upper))});
    }
    case 6: {
      std::vector<Operand> operands{first};
      for (std::size_t i = dice_.between(1, 4); i > 0; --i) {
        Operand candidate = dice_.percent(80) ? constant_operand(constant_near(tested, sample))
                                              : path_operand(path(scope));
        if (candidate != first) operands.push_back(std::move(candidate));
      }
      if (operands.size() == 1) operands.push_back(constant_operand(value(1)));
      return node(Kind::In, std::move(operands));
    }
    default:
      break;
  }
  Condition condition = node(Kind::Compare, {first});
  condition.comparator =
      dice_.any({Comparator::Equal, Comparator::Equal, Comparator::NotEqual, Comparator::Less,
                 Comparator::LessEqual, Comparator::Greater, Comparator::GreaterEqual});
  const bool is_ordering =
      condition.comparator != Comparator::Equal && condition.comparator != Comparator::NotEqual;
  Operand second =
      constant_operand(is_ordering || is_size ? ordered() : constant_near(tested, sample));
  if (dice_.percent(20)) second = operand(scope);
  if (second == first) second = constant_operand(ordered());
  condition.operands.push_back(std::move(second));
  if (dice_.percent(10)) std::swap(condition.operands[0], condition.operands[1]);
  return condition;
}

Condition Generator::condition(const Scope& scope, const Item* sample, int depth_max) {
  using Kind = Condition::Kind;
  if (depth_max == 0 || dice_.percent(45)) return simple_condition(scope, sample);
  Condition left = condition(scope, sample, depth_max - 1);
  if (dice_.percent(25)) return parent(Kind::Not, {std::move(left)});
  Condition right = condition(scope, sample, depth_max - 1);
  return parent(dice_.any({Kind::And, Kind::Or}), {std::move(left), std::move(right)});
}

std::optional<LegacyEntry> Generator::legacy_entry(const std::string& attribute,
                                                   const Item* sample) {
  const Path path{member_step(attribute)};
  const std::string comparison =
      dice_.any({"EQ", "NE", "LT", "LE", "GT", "GE", "BETWEEN", "IN", "BEGINS_WITH", "CONTAINS",
                 "NOT_CONTAINS", "NULL", "NOT_NULL", "EQ", "NOT_NULL"});
  LegacyEntry entry{attribute, comparison, {}};
  if (comparison == "NULL" || comparison == "NOT_NULL") return entry;
  if (comparison == "EQ" || comparison == "NE") {
    entry.arguments = {constant_near(path, sample)};
    return entry;
  }
  Value first = ordered_constant(path, sample);
  if (comparison == "BEGINS_WITH" && first.type == Type::N) first = value_of(Type::S, 0);
  entry.arguments.push_back(std::move(first));
  if (comparison == "BETWEEN") {
    entry.arguments.push_back(value_of(entry.arguments[0].type, 0));
    if (order_of(entry.arguments[1], entry.arguments[0]) < 0) {
      std::swap(entry.arguments[0], entry.arguments[1]);
    }
  }
  if (comparison == "IN") {
    for (std::size_t i = dice_.below(3); i > 0; --i) {
      entry.arguments.push_back(value_of(entry.arguments[0].type, 0));
    }
  }
  return entry;
}

LegacyConditions Generator::legacy_conditions(const Scope& scope, const Item* sample) {
  LegacyConditions conditions;
  std::set<std::string> used;
  for (std::size_t i = dice_.between(1, 3); i > 0; --i) {
    const std::string& name = dice_.any(scope.names);
    if (used.insert(name).second) conditions.entries.push_back(*legacy_entry(name, sample));
  }
  conditions.joins_by_or = conditions.entries.size() > 1 && dice_.percent(40);
  return conditions;
}

std::vector<Path> Generator::projection(const Scope& scope) {
  std::vector<Path> paths;
  for (std::size_t i = dice_.between(1, 6); i > 0; --i) {
    Path candidate = path(scope);
    const bool fits = std::all_of(paths.begin(), paths.end(), [&](const Path& other) {
      return are_compatible(candidate, other);
    });
    if (fits) paths.push_back(std::move(candidate));
  }
  return paths;
}

std::vector<Path> Generator::attributes(const Scope& scope) {
  std::set<std::string> names;
  for (std::size_t i = dice_.between(1, 5); i > 0; --i) names.insert(dice_.any(scope.names));
  std::vector<Path> paths;
  for (const std::string& name : names) paths.push_back({member_step(name)});
  return paths;
}

Expression Generator::number_part(const Scope& scope, int depth_max) {
  Expression part;
  switch (dice_.below(4)) {
    case 0:
      part.kind = Expression::Kind::Attribute;
      part.path =
          dice_.percent(70) ? Path{member_step(dice_.any({"n1", "n2", "size"}))} : path(scope);
      return part;
    case 1:
      if (depth_max > 0) {
        part.kind = Expression::Kind::IfNotExists;
        part.path = path(scope);
        part.parts = {number_part(scope, depth_max - 1)};
        if (part.parts[0].path == part.path) part.parts = {constant_part(value_of(Type::N, 0))};
        return part;
      }
      break;
    default:
      break;
  }
  part.constant = value_of(Type::N, 0);
  return part;
}

Expression Generator::list_part(const Scope& scope, int depth_max) {
  Expression part;
  switch (dice_.below(4)) {
    case 0:
      part.kind = Expression::Kind::Attribute;
      part.path = dice_.percent(80) ? Path{member_step(dice_.any({"l1", "l2"}))} : path(scope);
      return part;
    case 1:
      if (depth_max > 0) {
        part.kind = Expression::Kind::IfNotExists;
        part.path = Path{member_step(dice_.any({"l1", "l2"}))};
        part.parts = {list_part(scope, depth_max - 1)};
        if (part.parts[0].path == part.path) part.parts = {constant_part(value_of(Type::L, 1))};
        return part;
      }
      break;
    default:
      break;
  }
  part.constant = value_of(Type::L, 1);
  return part;
}

Expression Generator::set_value(const TableSchema& schema, const Scope& scope, const Path& target) {
  Expression value;
  const auto constant = [&] {
    return target.size() == 1 ? attribute_value(schema, target[0].name) : this->value(2);
  };
  switch (dice_.below(10)) {
    case 0:
      value.kind = Expression::Kind::Attribute;
      value.path = path(scope);
      return value;
    case 1:
    case 2:
      value.kind = Expression::Kind::IfNotExists;
      value.path = dice_.percent(70) ? target : path(scope);
      value.parts.resize(1);
      value.parts[0].constant = constant();
      return value;
    case 3:
    case 4:
      value.kind = Expression::Kind::ListAppend;
      value.parts = {list_part(scope, 1), list_part(scope, 1)};
      return value;
    case 5:
    case 6:
      value.kind = dice_.any({Expression::Kind::Plus, Expression::Kind::Minus});
      value.parts = {number_part(scope, 1), number_part(scope, 1)};
      return value;
    default:
      value.constant = dice_.percent(97) ? constant() : this->value(1);
      return value;
  }
}

std::optional<Action> Generator::action(const TableSchema& schema, const Scope& scope,
                                        const Path& target) {
  using Section = Action::Section;
  Action action;
  action.target = target;
  action.section = dice_.any({Section::Set, Section::Set, Section::Set, Section::Remove,
                              Section::Remove, Section::Add, Section::Delete});
  if (action.section == Section::Set) action.value = set_value(schema, scope, target);
  if (action.section == Section::Add || action.section == Section::Delete) {
    const std::string& name = target[0].name;
    const Type usual = name == "ss"   ? Type::SS
                       : name == "ns" ? Type::NS
                       : name == "bs" ? Type::BS
                                      : Type::N;
    Type type = dice_.percent(90) ? usual : dice_.any({Type::SS, Type::NS, Type::BS});
    if (type == Type::N && action.section == Section::Delete) type = Type::NS;
    action.operand = value_of(type, 0);
  }
  return action;
}

Update Generator::update(const TableSchema& schema, const Item* sample) {
  Scope targets = scope(TableModel(schema), nullptr, {"pk", "sk"});
  Scope readable = scope(TableModel(schema), nullptr);
  Update update;
  for (std::size_t i = dice_.between(1, 4); i > 0; --i) {
    Path target = path(targets);
    // Sets and counters a little more often than their share, and paths that lead somewhere.
    if (dice_.percent(15)) target = {member_step(dice_.any({"ss", "ns", "bs", "n1", "n2"}))};
    for (int tries = 0; tries < 3 && target.size() > 1; ++tries) {
      const Path above(target.begin(), target.end() - 1);
      if (sample != nullptr && find(*sample, above) != nullptr) break;
      if (dice_.percent(15)) break;
      target = path(targets);
    }
    const bool fits =
        std::all_of(update.actions.begin(), update.actions.end(),
                    [&](const Action& other) { return are_compatible(target, other.target); });
    if (fits) update.actions.push_back(*action(schema, readable, target));
  }
  return update;
}

Update Generator::legacy_update(const TableSchema& schema) {
  using Section = Action::Section;
  const auto definitions = schema.definitions();
  const Scope targets = scope(TableModel(schema), nullptr, {"pk", "sk"});
  Update update;
  update.is_legacy = true;
  std::set<std::string> used;
  for (std::size_t i = dice_.between(1, 4); i > 0; --i) {
    const std::string& name =
        dice_.percent(30) ? dice_.any({std::string("ss"), std::string("n1"), std::string("l1")})
                          : dice_.any(targets.names);
    if (!used.insert(name).second) continue;
    Action action;
    action.target = {member_step(name)};
    action.section = dice_.any({Section::Set, Section::Remove, Section::Add, Section::Delete});
    // Index keys keep their type.
    if (definitions.contains(name) && action.section != Section::Remove) {
      action.section = Section::Set;
    }
    switch (action.section) {
      case Section::Set:
        action.value.constant = attribute_value(schema, name);
        break;
      case Section::Remove:
        break;
      case Section::Add:
        action.operand = value_of(name == "l1"   ? Type::L
                                  : name == "ss" ? Type::SS
                                                 : dice_.any({Type::N, Type::N, Type::NS}),
                                  1);
        break;
      case Section::Delete:
        action.operand = value_of(name == "ns" ? Type::NS : Type::SS, 0);
        break;
    }
    update.actions.push_back(std::move(action));
  }
  return update;
}

}  // namespace stator::model
