#include "server/templates/plan/plan_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "protocol/json/json_writer.h"

namespace stator::templates {

namespace {

constexpr std::size_t kNameColumnsMax = 40;

char sign_of(Action action) {
  switch (action) {
    case Action::Create:
      return '+';
    case Action::Update:
      return '~';
    case Action::Replace:
      return '!';
    case Action::Unchanged:
      break;
  }
  return '=';
}

std::string_view word_of(Action action) {
  switch (action) {
    case Action::Create:
      return "create";
    case Action::Update:
      return "update";
    case Action::Replace:
      return "replace";
    case Action::Unchanged:
      break;
  }
  return "unchanged";
}

std::string counted(std::size_t count, std::string_view noun, std::string_view plural) {
  return std::to_string(count).append(" ").append(count == 1 ? noun : plural);
}

// "on demand, pk S / sk S, 1 global index, stream NEW_IMAGE, ttl expires"
std::string new_table_text(const PlannedTable& planned) {
  const TableShape& table = planned.wanted;
  std::string text = table.is_on_demand ? "on demand, " : "provisioned ";
  if (!table.is_on_demand) {
    text.append(std::to_string(table.throughput.read)).append("/");
    text.append(std::to_string(table.throughput.write)).append(", ");
  }
  text.append(keys_text(table.keys));
  const auto add_indexes = [&text](const IndexShapes& indexes, std::string_view kind) {
    if (indexes.empty()) return;
    const std::string one = std::string(kind).append(" index");
    text.append(", ").append(counted(indexes.size(), one, std::string(one).append("es")));
  };
  add_indexes(table.global_indexes, "global");
  add_indexes(table.local_indexes, "local");
  if (!table.stream.empty()) text.append(", stream ").append(table.stream);
  if (!table.ttl_attribute.empty()) text.append(", ttl ").append(table.ttl_attribute);
  if (table.is_protected) text.append(", protected");
  if (!planned.table.items.empty())
    text.append(", ").append(counted(planned.table.items.size(), "item", "items"));
  return text;
}

// "GlobalSecondaryIndexes: + by-mail (mail S; ALL), - by-name; ttl: off -> expires"
std::string changes_text(const std::vector<Change>& changes) {
  std::string text;
  const std::string* last = nullptr;
  for (const Change& change : changes) {
    if (last != nullptr && *last == change.member) {
      text.append(", ");
    } else {
      if (last != nullptr) text.append("; ");
      text.append(change.member).append(": ");
    }
    text.append(change.text);
    last = &change.member;
  }
  return text;
}

std::string replacement_text(const PlannedTable& planned) {
  std::string text = changes_text(planned.changes);
  if (planned.table.place.line > 0)
    text.append(", line ").append(std::to_string(planned.table.place.line));
  if (planned.is_locked()) return text.append(": DeletionProtection forbids a replacement");
  text.append(": a replacement loses ");
  text.append(counted(planned.there->item_count, "item", "items"));
  return text.append(" (--allow-replace)");
}

std::string table_text(const PlannedTable& planned) {
  switch (planned.action) {
    case Action::Create:
      return new_table_text(planned);
    case Action::Update:
      return changes_text(planned.changes);
    case Action::Replace:
      return replacement_text(planned);
    case Action::Unchanged:
      break;
  }
  return {};
}

// "+ Orders    text": the texts of all lines begin in one column, unless names are long.
std::string line_of(char sign, const std::string& name, std::size_t columns,
                    const std::string& text) {
  std::string line(1, sign);
  line.append(" ").append(name);
  if (text.empty()) return line;
  if (name.size() < columns) line.append(columns - name.size(), ' ');
  return line.append("  ").append(text);
}

std::string pruned_text(const PrunedTable& pruned) {
  if (pruned.is_protected) return "DeletionProtection forbids a deletion";
  return "a deletion loses " + counted(pruned.item_count, "item", "items");
}

void write_changes(JsonWriter& json, const std::vector<Change>& changes) {
  json.key("changes");
  json.begin_array();
  for (const Change& change : changes) {
    json.begin_object();
    json.member("member", change.member);
    json.member("text", change.text);
    json.end_object();
  }
  json.end_array();
}

void write_count(JsonWriter& json, std::string_view name, std::size_t count) {
  json.member(name, static_cast<std::int64_t>(count));
}

std::string_view word_of(const TableDifference& difference) {
  if (!difference.is_in_first) return "added";
  if (!difference.is_in_second) return "removed";
  return difference.changes.empty() ? "same" : "changed";
}

// OrderLines -> ORDER_LINES_TABLE
std::string variable_of(const std::string& logical_id) {
  std::string name;
  bool was_lower = false;
  for (const char c : logical_id) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = std::isalnum(byte) != 0;
    if (std::isupper(byte) != 0 && was_lower) name += '_';
    if (name.empty() && std::isdigit(byte) != 0) name += '_';
    name += is_word ? static_cast<char>(std::toupper(byte)) : '_';
    was_lower = std::islower(byte) != 0 || std::isdigit(byte) != 0;
  }
  return name.append("_TABLE");
}

}  // namespace

std::vector<std::string> plan_lines(const Plan& plan) {
  std::size_t columns = 0;
  for (const PlannedTable& planned : plan.tables)
    columns = std::max(columns, std::min(planned.wanted.name.size(), kNameColumnsMax));
  for (const PrunedTable& pruned : plan.pruned)
    columns = std::max(columns, std::min(pruned.name.size(), kNameColumnsMax));
  std::vector<std::string> lines;
  for (const PlannedTable& planned : plan.tables)
    lines.push_back(
        line_of(sign_of(planned.action), planned.wanted.name, columns, table_text(planned)));
  for (const PrunedTable& pruned : plan.pruned)
    lines.push_back(line_of('-', pruned.name, columns, pruned_text(pruned)));
  for (const PlannedTable& planned : plan.tables) {
    for (const std::string& member : planned.table.left_out) {
      std::string line = "left out: ";
      lines.push_back(line.append(planned.table.logical_id).append(".").append(member));
    }
  }
  std::string sums = "Plan: ";
  sums.append(std::to_string(plan.count(Action::Create))).append(" to create, ");
  sums.append(std::to_string(plan.count(Action::Update))).append(" to update, ");
  sums.append(std::to_string(plan.count(Action::Replace))).append(" to replace, ");
  sums.append(std::to_string(plan.count(Action::Unchanged))).append(" unchanged");
  if (!plan.pruned.empty())
    sums.append(", ").append(std::to_string(plan.pruned.size())).append(" to delete");
  lines.push_back(std::move(sums));
  return lines;
}

std::string plan_json(const Plan& plan, bool is_applied) {
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  json.key("tables");
  json.begin_array();
  for (const PlannedTable& planned : plan.tables) {
    json.begin_object();
    json.member("name", planned.wanted.name);
    json.member("logicalId", planned.table.logical_id);
    json.member("action", word_of(planned.action));
    write_changes(json, planned.changes);
    if (planned.action == Action::Replace) {
      write_count(json, "lostItems", planned.there->item_count);
      json.member("locked", planned.is_locked());
    }
    if (planned.loads_items()) write_count(json, "items", planned.table.items.size());
    json.key("leftOut");
    json.begin_array();
    for (const std::string& member : planned.table.left_out) json.string(member);
    json.end_array();
    json.end_object();
  }
  for (const PrunedTable& pruned : plan.pruned) {
    json.begin_object();
    json.member("name", pruned.name);
    json.member("action", "delete");
    write_count(json, "lostItems", pruned.item_count);
    json.member("locked", pruned.is_protected);
    json.end_object();
  }
  json.end_array();
  for (const Action action : {Action::Create, Action::Update, Action::Replace, Action::Unchanged})
    write_count(json, word_of(action), plan.count(action));
  write_count(json, "delete", plan.pruned.size());
  json.member("applied", is_applied);
  json.end_object();
  return text;
}

std::vector<std::string> difference_lines(const std::vector<TableDifference>& differences) {
  std::size_t columns = 0;
  std::size_t same = 0;
  for (const TableDifference& difference : differences) {
    columns = std::max(columns, std::min(difference.name.size(), kNameColumnsMax));
    same += difference.is_same() ? 1 : 0;
  }
  std::vector<std::string> lines;
  for (const TableDifference& difference : differences) {
    char sign = difference.changes.empty() ? '=' : '~';
    if (!difference.is_in_first) sign = '+';
    if (!difference.is_in_second) sign = '-';
    lines.push_back(line_of(sign, difference.name, columns, changes_text(difference.changes)));
  }
  std::string sums = std::to_string(same);
  sums.append(" equal, ").append(std::to_string(differences.size() - same)).append(" different");
  lines.push_back(std::move(sums));
  return lines;
}

std::string differences_json(const std::vector<TableDifference>& differences) {
  std::string text;
  JsonWriter json{text};
  bool is_same = true;
  json.begin_object();
  json.key("tables");
  json.begin_array();
  for (const TableDifference& difference : differences) {
    is_same = is_same && difference.is_same();
    json.begin_object();
    json.member("name", difference.name);
    json.member("state", word_of(difference));
    write_changes(json, difference.changes);
    json.end_object();
  }
  json.end_array();
  json.member("equal", is_same);
  json.end_object();
  return text;
}

std::vector<std::string> environment_lines(const Plan& plan) {
  std::vector<std::string> lines;
  for (const PlannedTable& planned : plan.tables) {
    std::string line = variable_of(planned.table.logical_id);
    lines.push_back(line.append("=").append(planned.wanted.name));
  }
  return lines;
}

}  // namespace stator::templates
