#include "server/cli/mcp/tools/item_pages.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"
#include "server/cli/mcp/answers/plain_json.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

constexpr int kEmptyPagesMax = 20;  // a filter may leave nothing of many

// What the pages of an answer cost.
struct Cost {
  double units = 0;
  std::uint64_t looked_at = 0;
  int pages = 0;

  void add(const JsonNode& page) {
    ++pages;
    looked_at += data::count_in(page, "ScannedCount");
    const JsonNode* const consumed = page.find("ConsumedCapacity");
    if (consumed == nullptr || consumed->kind() != JsonNode::Kind::Object) return;
    const std::string_view text = data::number_text_in(*consumed, "CapacityUnits");
    double of_page = 0;
    std::from_chars(text.data(), text.data() + text.size(), of_page);
    units += of_page;
  }
};

std::string body_of(const ItemRead& read) {
  const client::Request& request = read.request;
  std::string body = "{" + request.members;
  const auto add = [&body](std::string_view name, std::string_view json) {
    body.append(",\"").append(name).append("\":").append(json);
  };
  std::uint64_t limit = request.page_items;
  if (read.left && request.passes_limit)
    limit = limit == 0 ? *read.left : std::min(limit, *read.left);
  if (limit != 0) add("Limit", std::to_string(limit));
  if (!read.place.empty()) add(request.start, read.place);
  return body += '}';
}

void add_items(const JsonNode& page, ItemRead& read, Answer& answer) {
  const JsonNode* const items = page.find(read.request.items);
  if (items == nullptr || items->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& item : items->elements()) {
    if (read.left == 0U) return;
    std::string text;
    if (read.is_typed) {
      append_node_json(text, item);
    } else {
      append_plain_attributes(text, item);
    }
    answer.elements.push_back(std::move(text));
    if (read.left) --*read.left;
  }
}

std::string end_of_items(const ItemRead& read, const Cost& cost) {
  std::string text = "],";
  JsonWriter json{text};
  json.key("units");
  json.decimal(cost.units);
  json.member("pages", std::int64_t{cost.pages});
  if (cost.looked_at != 0) json.member("looked_at", static_cast<std::int64_t>(cost.looked_at));
  append_text_member(text, "hint", read.hint);
  return text;
}

}  // namespace

Outcome read_items(ToolContext& context, ItemRead read) {
  Answer answer{std::string{kDataNote}};
  append_text_member(answer.before, "read", read.request.operation);
  answer.before += ",\"items\":[";
  Cost cost;
  bool has_more = false;
  do {
    const auto page = context.call(read.request.operation, body_of(read));
    if (!page) return tl::unexpected(page.error());
    cost.add(*page);
    add_items(*page, read, answer);
    read.place = json_in(*page, read.request.next);
    has_more = !read.place.empty() && read.left != 0U;
    if (has_more && read.cycle.returns_to(read.place)) return failed(data::kEndlessPages);
  } while (answer.elements.empty() && has_more && cost.pages < kEmptyPagesMax);
  answer.after = end_of_items(read, cost);
  if (has_more)
    answer.more = [&context, read = std::move(read)] { return read_items(context, read); };
  return answer;
}

}  // namespace stator::mcp
