#include "server/triggers/batches/lane_note.h"

#include <charconv>
#include <span>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"

namespace stator::triggers {

namespace {

template <class Integer>
std::optional<Integer> integer_of(const JsonNode* node) {
  if (node == nullptr || node->kind() != JsonNode::Kind::Integer) return {};
  const std::string_view digits = node->text();
  Integer value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

std::optional<TumblingWindow> window_in(const JsonNode& json) {
  const JsonNode* const state = json.find("state");
  if (state == nullptr || state->kind() != JsonNode::Kind::Object) return {};
  const auto start = integer_of<std::int64_t>(json.find("start"));
  const auto end = integer_of<std::int64_t>(json.find("end"));
  if (!start || !end) return {};
  TumblingWindow window{{*start}, {*end}, {}, false};
  append_node_json(window.state, *state);
  return window;
}

std::vector<PieceNote> pieces_in(const JsonNode& json) {
  std::vector<PieceNote> pieces;
  const JsonNode* const list = json.find("pieces");
  if (list == nullptr || list->kind() != JsonNode::Kind::Array) return pieces;
  for (const JsonNode& piece : list->elements()) {
    if (piece.kind() != JsonNode::Kind::Object) return {};
    const auto end = integer_of<std::uint64_t>(piece.find("end"));
    const auto calls = integer_of<unsigned>(piece.find("calls"));
    if (!end || !calls) return {};
    pieces.push_back({*end, *calls});
  }
  return pieces;
}

}  // namespace

std::string lane_note(const LaneNote& note) {
  std::string text;
  if (!note.window && note.pieces.empty()) return text;
  JsonWriter json(text);
  json.begin_object();
  if (note.window) {
    json.member("start", note.window->start.unix_us);
    json.member("end", note.window->end.unix_us);
    json.key("state");
    json.raw(note.window->is_too_large ? "{}" : note.window->state);
  }
  if (!note.pieces.empty()) {
    json.key("pieces");
    json.begin_array();
    for (const PieceNote& piece : note.pieces) {
      json.begin_object();
      json.key("end");
      json.raw(std::to_string(piece.end));
      json.member("calls", std::int64_t{piece.calls});
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return text;
}

LaneNote read_lane_note(std::string_view text) {
  std::string copy(text);
  Arena arena;
  const auto json = read_json(copy, arena);
  if (!json || json->kind() != JsonNode::Kind::Object) return {};
  return {window_in(*json), pieces_in(*json)};
}

}  // namespace stator::triggers
