#include "server/explain/explain_text.h"

#include <algorithm>
#include <string_view>

#include "server/log/log_text.h"

namespace stator {

std::string text_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  return member != nullptr ? log::escaped(member->text()) : std::string();
}

namespace {

std::span<const JsonNode> elements_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  const bool is_array = member != nullptr && member->kind() == JsonNode::Kind::Array;
  return is_array ? member->elements() : std::span<const JsonNode>();
}

std::string hint_lines(const JsonNode& request) {
  std::string lines;
  for (const JsonNode& hint : elements_in(request, "hints"))
    lines.append("\n  -> ").append(log::escaped(hint.text()));
  return lines;
}

// "a key is not empty: attribute pk, expected one byte or more, given an empty string value"
std::string refusal_text(const JsonNode* refused) {
  if (refused == nullptr || refused->kind() != JsonNode::Kind::Object) return {};
  std::string text;
  for (const std::string_view name : {"attribute", "expected", "given"}) {
    const std::string told = text_in(*refused, name);
    if (told.empty()) continue;
    text.append(text.empty() ? "" : ", ").append(name).append(" ").append(told);
  }
  const std::string rule = text_in(*refused, "rule");
  return text.empty() ? rule : rule + ": " + text;
}

void add_line(std::string& lines, std::string_view title, const std::string& text) {
  if (!text.empty()) lines.append("\n  ").append(title).append(" ").append(text);
}

// If a limit ended the page, another page may follow.
std::string end_text(const std::string& end) {
  if (end.empty()) return {};
  return end == "all was read" ? ", all was read" : ", ended by " + end + ", another page follows";
}

std::string read_text(const JsonNode* read) {
  if (read == nullptr || read->kind() != JsonNode::Kind::Object) return {};
  const std::string index = text_in(*read, "index");
  const std::string pages = text_in(*read, "pages");
  const std::string end = text_in(*read, "ended_by");
  return text_in(*read, "way") + " of " + (index.empty() ? "the table" : "index " + index) + ", " +
         pages + (pages == "1" ? " page" : " pages") + " with " + text_in(*read, "bytes") +
         " bytes, " + text_in(*read, "items_looked_at") + " items looked at, " +
         text_in(*read, "items_matched") + " matched" + end_text(end);
}

// The text, and how many bytes of it are missing.
std::string beginning(const JsonNode& request, std::string_view name, std::string_view bytes_name) {
  const JsonNode* const text = request.find(name);
  if (text == nullptr || text->text().empty()) return {};
  const std::string bytes = text_in(request, bytes_name);
  const bool is_whole = bytes == std::to_string(text->text().size());
  return log::escaped(text->text()) + (is_whole ? "" : " ... of " + bytes + " bytes");
}

void add_work(std::string& lines, const JsonNode& told) {
  add_line(lines, "units", text_in(told, "units"));
  add_line(lines, "took", text_in(told, "took_us") + " us");
  add_line(lines, "read", read_text(told.find("read")));
  add_line(lines, "throttled", text_in(told, "throttled"));
  add_line(lines, "would be throttled", text_in(told, "would_be_throttled"));
}

}  // namespace

// "2027-01-01T00:00:00.000Z 400 GetItem orders ValidationException: ..."
std::string request_line(const JsonNode& request) {
  std::string line = text_in(request, "time");
  for (const std::string_view name : {"status", "operation", "table", "error"}) {
    const std::string text = text_in(request, name);
    if (!text.empty()) line.append(" ").append(text);
  }
  const std::string message = text_in(request, "message");
  if (!message.empty()) line.append(": ").append(message);
  const std::string count = text_in(request, "count");
  if (!count.empty()) line.append(" ×").append(count);
  if (text_in(request, "origin") == "mcp") line.append(" (mcp)");
  return line;
}

std::string requests_text(const JsonNode& told, bool is_oldest_first) {
  const auto requests = elements_in(told, "requests");
  std::string lines;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const JsonNode& request = requests[is_oldest_first ? i : requests.size() - 1 - i];
    if (request.kind() != JsonNode::Kind::Object) continue;
    if (!lines.empty()) lines += '\n';
    lines += request_line(request) + hint_lines(request);
    if (elements_in(request, "hints").empty())
      add_line(lines, "refused,", refusal_text(request.find("refused")));
    add_line(lines, "id", text_in(request, "request_id"));
  }
  return lines;
}

std::string explanation_text(std::string_view title, const JsonNode& told) {
  std::string lines = std::string(title) + hint_lines(told);
  add_line(lines, "refused,", refusal_text(told.find("refused")));
  add_work(lines, told);
  return lines;
}

std::string request_text(const JsonNode& told) {
  std::string lines = request_line(told) + hint_lines(told);
  add_line(lines, "refused,", refusal_text(told.find("refused")));
  add_line(lines, "region", text_in(told, "region"));
  add_line(lines, "access key", text_in(told, "access_key"));
  add_work(lines, told);
  add_line(lines, "request", beginning(told, "request", "request_bytes"));
  add_line(lines, "answer", beginning(told, "answer", "answer_bytes"));
  return lines;
}

}  // namespace stator
