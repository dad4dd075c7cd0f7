#include "server/data/copy_state.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "protocol/arena.h"
#include "protocol/json_reader.h"
#include "protocol/json_writer.h"
#include "server/data/json_text.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;

// null: ended; true: from the start; an object: behind that key.
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
  std::ifstream file{path_, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Arena arena;
  const auto read = read_json(text, arena);
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

// A file beside takes the place of the old one, so that one of them is whole at any moment.
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
  const std::string beside = path_ + ".partial";
  {
    std::ofstream file{beside, std::ios::binary};
    file << text << '\n';
    file.close();
    if (!file.good()) return beside + " cannot be written";
  }
  if (std::rename(beside.c_str(), path_.c_str()) == 0) return {};
  return path_ + ": " + std::strerror(errno);
}

void CopyState::remove() const { std::remove(path_.c_str()); }

}  // namespace stator::data
