#include "server/data/copy_state.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "server/data/formats/input_file.h"
#include "server/data/formats/output_file.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;

// null: finished; true: from the start; an object: after that key.
TablePlace place_of(const JsonNode& node) {
  TablePlace place;
  place.is_done = node.kind() == Kind::String;
  if (node.kind() != Kind::Array) return place;
  for (const JsonNode& segment : node.elements()) {
    std::string key;
    if (segment.kind() == Kind::Object) append_node_json(key, segment);
    place.start_keys.push_back(std::move(key));
    place.ended.push_back(segment.is_null());
  }
  return place;
}

}  // namespace

CopyState::CopyState(std::string path, std::string from, std::string to)
    : path_{std::move(path)}, from_{std::move(from)}, to_{std::move(to)} {}

CopyState::CopyState(CopyState&& other) noexcept
    : path_{std::move(other.path_)},
      from_{std::move(other.from_)},
      to_{std::move(other.to_)},
      was_there_{other.was_there_},
      tables_{std::move(other.tables_)} {}

tl::expected<CopyState, std::string> CopyState::open(const std::string& path, std::string from,
                                                     std::string to) {
  CopyState state{path, std::move(from), std::move(to)};
  std::string problem = state.read();
  if (!problem.empty()) return tl::unexpected(std::move(problem));
  return state;
}

std::string CopyState::read() {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return {};
  auto text = read_file(path_);
  if (!text) return text.error();
  Arena arena;
  const auto read = read_json(*text, arena);
  const JsonNode* const tables =
      read && read->kind() == Kind::Object ? read->find("tables") : nullptr;
  if (tables == nullptr || tables->kind() != Kind::Object)
    return path_ + " is not the state of a copy; --state names another file";
  if (text_in(*read, "from") != from_ || text_in(*read, "to") != to_) {
    return path_ + " is the state of a copy from " + std::string(text_in(*read, "from")) + " to " +
           std::string(text_in(*read, "to")) + "; remove it, or name another file by --state";
  }
  for (const JsonMember& table : tables->members())
    tables_.emplace(table.name, place_of(table.value));
  const JsonNode* const items = read->find("items");
  if (items != nullptr && items->kind() == Kind::Object) {
    for (const JsonMember& table : items->members()) {
      const auto found = tables_.find(table.name);
      const std::string_view number = number_text_in(*items, table.name);
      if (found != tables_.end())
        std::from_chars(number.data(), number.data() + number.size(), found->second.items);
    }
  }
  was_there_ = true;
  return {};
}

const TablePlace* CopyState::find(std::string_view table) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  return found != tables_.end() ? &found->second : nullptr;
}

std::string CopyState::begin(const std::string& table, unsigned segments) {
  const std::lock_guard lock(mutex_);
  tables_[table] = {.is_done = false,
                    .start_keys = std::vector<std::string>(segments),
                    .ended = std::vector<bool>(segments)};
  return write();
}

std::string CopyState::reached(const std::string& table, unsigned segment, std::string next_key,
                               std::uint64_t items) {
  const std::lock_guard lock(mutex_);
  TablePlace& place = tables_.at(table);
  place.items += items;
  place.ended[segment] = next_key.empty();
  place.start_keys[segment] = std::move(next_key);
  return write();
}

std::string CopyState::finish(const std::string& table) {
  const std::lock_guard lock(mutex_);
  tables_[table].is_done = true;
  return write();
}

// Replaces the file by renaming, so that at any moment a complete one exists.
std::string CopyState::write() const {
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  json.member("from", from_);
  json.member("to", to_);
  json.key("tables");
  json.begin_object();
  for (const auto& [name, place] : tables_) {
    json.key(name);
    if (place.is_done) {
      json.string("done");
      continue;
    }
    json.begin_array();
    for (std::size_t i = 0; i < place.ended.size(); ++i) {
      if (place.ended[i]) {
        json.null();
      } else {
        json.raw(place.start_keys[i].empty() ? "true" : place.start_keys[i]);
      }
    }
    json.end_array();
  }
  json.end_object();
  json.key("items");
  json.begin_object();
  for (const auto& [name, place] : tables_) {
    json.key(name);
    json.raw(std::to_string(place.items));
  }
  json.end_object();
  json.end_object();
  return write_file(path_, text + "\n");
}

void CopyState::remove() const { std::remove(path_.c_str()); }

}  // namespace stator::data
