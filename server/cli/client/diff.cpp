#include "server/cli/client/diff.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "protocol/json/json_reader.h"
#include "protocol/service/arn.h"
#include "protocol/text/shown_number.h"
#include "server/cli/client/result_pages.h"
#include "server/cli/output/cells.h"
#include "server/data/export_command.h"
#include "server/data/formats/item_of.h"
#include "server/data/formats/records.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_scan.h"
#include "server/log/log_text.h"
#include "server/log/say.h"
#include "server/templates/plan/verdict.h"

namespace stator::client {

namespace {

using data::Failure;
using data::TableInfo;

// Names of tables have no slash and, but for some, no ending of a file.
bool is_file_name(const std::string& word) {
  if (word.starts_with("arn:")) return false;
  return word.find('/') != std::string::npos || data::format_of_name(word) != data::Format::Auto;
}

// The bytes of the key's values, and the item as JSON without what is ignored. Equal items have
// equal texts: attributes and elements of sets are sorted, numbers have one form.
using DiffItems = std::map<std::vector<std::string>, std::string>;

class ItemReader {
 public:
  ItemReader(TableInfo table, const DiffWords& words) : table_{std::move(table)}, words_{words} {}

  const TableInfo& table() const { return table_; }

  tl::expected<DiffItems, Failure> read(const DiffSide& side, const data::Endpoint& endpoint) {
    DiffItems items;
    const auto done =
        side.file.empty() ? read_table(side, endpoint, items) : read_file(side, items);
    if (!done) return tl::unexpected(done.error());
    return items;
  }

 private:
  tl::expected<void, Failure> read_table(const DiffSide& side, const data::Endpoint& endpoint,
                                         DiffItems& items) {
    data::DynamodbClient client{endpoint};
    const auto take = [&](const JsonNode& page, const std::string&) -> tl::expected<void, Failure> {
      for (const JsonNode& node : page.elements()) {
        const std::string problem = add(node, items);
        if (!problem.empty()) return tl::unexpected(Failure{"", side.name + ": " + problem});
      }
      return {};
    };
    return data::scan_segment(client, side.table, {}, take);
  }

  tl::expected<void, Failure> read_file(const DiffSide& side, DiffItems& items) {
    data::ReadOptions reading;
    reading.types = table_.types;
    reading.keys = table_.keys;
    auto reader = data::open_records(side.file, reading);
    if (!reader) return tl::unexpected(Failure{"", reader.error()});
    data::Record record;
    while (!data::is_interrupted() && (*reader)->next(record)) {
      const std::string problem = record.problem.empty() ? take(record, items) : record.problem;
      if (problem.empty()) continue;
      return tl::unexpected(
          Failure{"", (*reader)->path() + " line " + std::to_string(record.line) + ": " + problem});
    }
    if (data::is_interrupted()) return tl::unexpected(Failure{"", "interrupted"});
    const std::string error = (*reader)->error();
    if (!error.empty()) return tl::unexpected(Failure{"", error});
    return {};
  }

  std::string take(const data::Record& record, DiffItems& items) {
    if (!record.is_delete) return add(record.item, items);
    arena_.reset();
    const auto item = data::item_of(record.item, arena_);
    if (!item) return item.error();
    std::vector<std::string> key;
    std::string problem = read_key(*item, key);
    if (problem.empty()) items.erase(key);
    return problem;
  }

  // Returns why it is no item; empty if it is one.
  std::string add(const JsonNode& node, DiffItems& items) {
    arena_.reset();
    const auto item = data::item_of(node, arena_);
    if (!item) return item.error();
    std::vector<std::string> key;
    std::string problem = read_key(*item, key);
    if (!problem.empty()) return problem;
    std::vector<Member> compared;
    for (const Member& member : *item)
      if (words_.ignored.find(member.name) == words_.ignored.end()) compared.push_back(member);
    std::string text;
    append_item_json(text, compared);
    items.insert_or_assign(std::move(key), std::move(text));
    return {};
  }

  std::string read_key(Item item, std::vector<std::string>& key) const {
    for (const std::string& name : table_.keys) {
      const Value* const value = find_attribute(item, name);
      if (value == nullptr) return "the key attribute '" + name + "' is missing";
      const auto wanted = table_.types.find(name);
      if (wanted == table_.types.end() || wanted->second != type_name(value->type()))
        return "the key attribute '" + name + "' is not of the key's type";
      key.emplace_back(value->bytes());
    }
    return {};
  }

  const TableInfo table_;
  const DiffWords& words_;
  Arena arena_;
};

std::string typed_cell(const Value* value, bool has_type) {
  if (value == nullptr) return "-";
  std::string text = cell_text(*value);
  return has_type ? text + " (" + std::string{type_name(value->type())} + ")" : text;
}

// "n 1 -> 2"; with the types where the texts are the same.
std::string attribute_change(std::string_view name, const Value* from, const Value* to) {
  const bool has_type = typed_cell(from, false) == typed_cell(to, false);
  return log::escaped(name) + " " + typed_cell(from, has_type) + " -> " + typed_cell(to, has_type);
}

bool is_same(const Value* from, const Value* to) {
  return from != nullptr && to != nullptr && *from == *to;
}

enum class DiffState : std::uint8_t { Changed, Removed, Added };

// Shows what differs, in the order of the keys.
class Differences {
 public:
  Differences(const TableInfo& table, ChangeFormat format) : table_{table}, format_{format} {}

  Output compare(const DiffItems& first, const DiffItems& second) {
    auto from = first.begin();
    auto to = second.begin();
    while (from != first.end() || to != second.end()) {
      Output output;
      if (to == second.end() || (from != first.end() && from->first < to->first)) {
        output = show(DiffState::Removed, (from++)->second, {});
      } else if (from == first.end() || to->first < from->first) {
        output = show(DiffState::Added, {}, (to++)->second);
      } else if (from->second != to->second) {
        output = show(DiffState::Changed, (from++)->second, (to++)->second);
      } else {
        ++equal_;
        ++from;
        ++to;
      }
      if (!output) return output;
    }
    if (format_ == ChangeFormat::Text)
      lines_ += grouped(equal_) + " equal, " + grouped(different_) + " different\n";
    return write_all(std::exchange(lines_, {}));
  }

  bool is_none() const { return different_ == 0; }

 private:
  static constexpr std::size_t kLinesBytes = 64 * 1024;

  Output show(DiffState state, std::string from_text, std::string to_text) {
    ++different_;
    arena_.reset();
    const Item from = item_in(from_text);
    const Item to = item_in(to_text);
    if (format_ == ChangeFormat::Text) {
      add_text(state, from, to);
    } else {
      add_json(state, from, to);
    }
    if (lines_.size() < kLinesBytes) return {};
    return write_all(std::exchange(lines_, {}));
  }

  Item item_in(std::string& text) {
    if (text.empty()) return {};
    return *data::item_of(*read_json(text, arena_), arena_);
  }

  void add_text(DiffState state, Item from, Item to) {
    constexpr std::string_view kSigns = "~-+";
    lines_ += kSigns[static_cast<std::size_t>(state)];
    for (const std::string& name : table_.keys) {
      const Value* const value = find_attribute(state == DiffState::Added ? to : from, name);
      lines_ += " " + log::escaped(name) + "=" + cell_text(*value);
    }
    if (state == DiffState::Changed) add_changes(from, to);
    lines_ += '\n';
  }

  void add_changes(Item from, Item to) {
    std::string_view before = ": ";
    const auto add = [&](std::string_view name, const Value* old_value, const Value* new_value) {
      if (is_same(old_value, new_value)) return;
      lines_.append(before).append(attribute_change(name, old_value, new_value));
      before = ", ";
    };
    for (const Member& member : from)
      add(member.name, &member.value, find_attribute(to, member.name));
    for (const Member& member : to)
      if (find_attribute(from, member.name) == nullptr) add(member.name, nullptr, &member.value);
  }

  void add_json(DiffState state, Item from, Item to) {
    constexpr std::string_view kStates[] = {"changed", "removed", "added"};
    std::vector<Member> keys;
    for (const std::string& name : table_.keys)
      keys.push_back({name, *find_attribute(state == DiffState::Added ? to : from, name)});
    lines_.append(R"({"state":")").append(kStates[static_cast<std::size_t>(state)]).append("\"");
    add_image("keys", keys);
    if (state != DiffState::Added) add_image("old", from);
    if (state != DiffState::Removed) add_image("new", to);
    lines_ += "}\n";
  }

  void add_image(std::string_view name, Item item) {
    lines_.append(",\"").append(name).append("\":");
    data::PlainLosses losses;  // what plain JSON has no type for shows as it can
    if (format_ == ChangeFormat::DynamodbJson) {
      append_item_json(lines_, item);
    } else {
      data::append_plain_item(lines_, item, losses);
    }
  }

  const TableInfo& table_;
  const ChangeFormat format_;
  std::string lines_;
  Arena arena_;
  std::uint64_t equal_ = 0;
  std::uint64_t different_ = 0;
};

// An ARN says in which Region its table is.
data::Endpoint endpoint_of(const DiffSide& side, const ClientOptions& options) {
  data::Endpoint endpoint = side.endpoint.value_or(options.endpoint);
  if (const auto arn = parse_table_arn(side.table)) endpoint.region = arn->region;
  return endpoint;
}

// Completes the names of the tables and finds the key. The error is for people.
tl::expected<TableInfo, Failure> find_key(const ClientOptions& options, DiffWords& words) {
  std::optional<TableInfo> found;
  if (!words.key.empty()) found = data::info_of_key(words.key);
  for (const auto& [side, other] :
       {std::pair(&words.first, &words.second), std::pair(&words.second, &words.first)}) {
    if (!side->file.empty()) continue;
    if (side->table.empty()) side->table = other->table;
    if (side->table.empty())
      return tl::unexpected(Failure{"", side->name + " names no table: add /TABLE"});
    data::DynamodbClient client{endpoint_of(*side, options)};
    auto info = data::describe_table(client, side->table);
    if (!info) {
      info.error().message = side->name + ": " + info.error().message;
      return info;
    }
    const bool is_other =
        found && (found->keys != info->keys ||
                  std::any_of(info->keys.begin(), info->keys.end(), [&](const std::string& name) {
                    return found->types[name] != info->types[name];
                  }));
    if (is_other) return tl::unexpected(Failure{"", side->name + " has another key"});
    // The types of indexes help to read CSV.
    found = *std::move(info);
  }
  if (!found || found->keys.empty()) return tl::unexpected(Failure{"", "a table has no keys"});
  for (const std::string& name : found->keys) {
    if (words.ignored.find(name) != words.ignored.end())
      return tl::unexpected(Failure{"", "'" + name + "' is a key and cannot be ignored"});
  }
  return *std::move(found);
}

}  // namespace

DiffSide read_diff_side(const std::string& word, std::string& url) {
  constexpr std::string_view kEndpointWord = "endpoint:";
  constexpr std::string_view kAfterScheme = "://";
  DiffSide side{word};
  if (!word.starts_with(kEndpointWord)) {
    (is_file_name(word) ? side.file : side.table) = word;
    return side;
  }
  url = word.substr(kEndpointWord.size());
  const std::size_t scheme = url.find(kAfterScheme);
  const std::size_t slash =
      url.find('/', scheme == std::string::npos ? 0 : scheme + kAfterScheme.size());
  if (slash == std::string::npos) return side;
  side.table = url.substr(slash + 1);
  url.resize(slash);
  return side;
}

int run_diff(const ClientOptions& options, DiffWords words) {
  data::watch_interrupts();
  begin_output();
  auto table = find_key(options, words);
  if (!table) return fail_with_hints(table.error());
  ItemReader reader{*std::move(table), words};
  const auto first = reader.read(words.first, endpoint_of(words.first, options));
  if (!first) return fail_with_hints(first.error());
  const auto second = reader.read(words.second, endpoint_of(words.second, options));
  if (!second) return fail_with_hints(second.error());
  Differences differences{reader.table(), words.format};
  const Output shown = differences.compare(*first, *second);
  if (!shown && !shown.error().problem.empty()) return status_of(shown.error());
  return differences.is_none() ? 0 : templates::kDifferentStatus;
}

}  // namespace stator::client
