// The tool `put_items`: many items, in batches of the service's size.
#include <string>
#include <utility>
#include <vector>

#include "protocol/json/json_writer.h"
#include "server/cli/client/key_value.h"
#include "server/cli/mcp/tools/argument_check.h"
#include "server/cli/mcp/tools/tool_context.h"
#include "server/cli/mcp/tools/tools.h"
#include "server/data/transfer/item_writer.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"

namespace stator::mcp {

namespace {

using data::Entry;

// An item that was not written, and why.
struct Refusal {
  std::string place;  // in the list, from 0
  std::string why;
};

// Returns the item as the writer takes it. The error says what is wrong with it.
tl::expected<Entry, std::string> entry_of(const JsonNode& item, bool is_typed,
                                          const data::TableInfo& table) {
  if (item.kind() != JsonNode::Kind::Object) return tl::unexpected(std::string{"is no object"});
  Entry entry;
  if (is_typed) {
    entry.json = json_of(item);
  } else {
    auto typed = client::plain_item(item, table);
    if (!typed) return tl::unexpected(std::move(typed).error());
    entry.json = *std::move(typed);
  }
  for (const std::string& key : table.keys) entry.key.append(json_in(item, key)).append("\n");
  return entry;
}

// Returns all items of the arguments, or the first that is wrong.
tl::expected<std::vector<Entry>, ToolError> entries_of(const JsonNode& arguments,
                                                       const data::TableInfo& table) {
  std::vector<Entry> entries;
  const bool is_typed = data::is_true(arguments, "typed");
  const JsonNode* const items = arguments.find("items");
  for (const JsonNode& item : items->elements()) {
    auto entry = entry_of(item, is_typed, table);
    const std::string place = std::to_string(entries.size());
    if (!entry) return failed("nothing was written: item " + place + ": " + entry.error());
    entry->origin = place;
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Answer answer_of(std::uint64_t written, const std::vector<Refusal>& refusals) {
  Answer answer{"\"written\":" + std::to_string(written) + ",\"refused\":["};
  for (const Refusal& refusal : refusals) {
    std::string text = "{\"item\":" + refusal.place + ",\"why\":";
    append_json_string(text, refusal.why);
    answer.elements.push_back(text += '}');
  }
  answer.after = "]";
  return answer;
}

Outcome run_put_items(ToolContext& context, const JsonNode& arguments) {
  if (const auto checked = context.check_write("put_items"); !checked)
    return tl::unexpected(checked.error());
  const std::string table{data::text_in(arguments, "table")};
  const auto info = data::describe_table(context.client(), table);
  if (!info) return tl::unexpected(error_of(info.error()));
  auto entries = entries_of(arguments, *info);
  if (!entries) return tl::unexpected(std::move(entries).error());
  std::vector<Refusal> refusals;
  data::Rate rate{0};
  data::ItemWriter writer{context.endpoint(), table, /*connections=*/1, rate,
                          [&refusals](const Entry& entry, const std::string& why) {
                            refusals.push_back({entry.origin, why});
                            return true;
                          }};
  for (Entry& entry : *entries)
    if (!writer.add(std::move(entry))) break;
  if (!writer.finish())
    return failed(std::to_string(writer.written()) +
                  " items were written, then: " + writer.failure());
  return answer_of(writer.written(), refusals);
}

}  // namespace

Tool put_items_tool() {
  return {"put_items",
          "Puts items, in batches. Items with the same key are replaced. refused lists "
          "items that the service found invalid.",
          R"("table":{"type":"string"},)"
          R"("items":{"type":"array","maxItems":500},)"
          R"("typed":{"type":"boolean","description":"items are DynamoDB JSON"})",
          R"("table","items")",
          R"("written":{"type":"integer"},"refused":{"type":"array"})",
          {.is_destructive = true, .is_idempotent = true},
          run_put_items};
}

}  // namespace stator::mcp
