#include "server/triggers/batches/window.h"

#include <charconv>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"

namespace stator::triggers {

TumblingWindow window_of(Timestamp time, std::int32_t length_s) {
  const std::int64_t length_us = std::int64_t{length_s} * 1'000'000;
  TumblingWindow window;
  window.start = {time.unix_us / length_us * length_us};
  window.end = {window.start.unix_us + length_us};
  return window;
}

std::string window_note(const TumblingWindow& window) {
  std::string note;
  JsonWriter json(note);
  json.begin_object();
  json.member("start", window.start.unix_us);
  json.member("end", window.end.unix_us);
  json.key("state");
  json.raw(window.is_too_large ? "{}" : window.state);
  json.end_object();
  return note;
}

std::optional<TumblingWindow> read_window_note(std::string_view note) {
  std::string text(note);
  Arena arena;
  const auto json = read_json(text, arena);
  if (!json || json->kind() != JsonNode::Kind::Object) return {};
  const JsonNode* const state = json->find("state");
  if (state == nullptr || state->kind() != JsonNode::Kind::Object) return {};
  const auto time = [&](std::string_view name) -> std::optional<Timestamp> {
    const JsonNode* const node = json->find(name);
    if (node == nullptr || node->kind() != JsonNode::Kind::Integer) return {};
    Timestamp read;
    const std::string_view digits = node->text();
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), read.unix_us);
    return end.ec == std::errc{} ? std::optional(read) : std::nullopt;
  };
  const auto start = time("start");
  const auto end = time("end");
  if (!start || !end) return {};
  TumblingWindow window{*start, *end, {}, false};
  append_node_json(window.state, *state);
  return window;
}

}  // namespace stator::triggers
