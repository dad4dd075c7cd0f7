#include "server/templates/plan/sample_items.h"

#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"
#include "server/data/formats/item_of.h"
#include "server/data/transfer/item_writer.h"
#include "server/data/transfer/rate.h"

namespace stator::templates {

namespace {

using data::Failure;

constexpr unsigned kConnections = 2;

// The entry of an item. Its key has the values of the key attributes with their lengths, so that
// different keys have different texts, and numbers are equal in every form.
tl::expected<data::Entry, std::string> entry_of_item(std::string text,
                                                     const data::TableInfo& info) {
  Arena arena;
  const auto node = read_json(text, arena);
  if (!node || node->kind() != JsonNode::Kind::Object)
    return tl::unexpected(std::string("it is no JSON object"));
  const auto item = data::item_of(*node, arena);
  if (!item) return tl::unexpected(item.error());
  data::Entry entry;
  for (const std::string& name : info.keys) {
    const Value* const value = find_attribute(*item, name);
    if (value == nullptr)
      return tl::unexpected(std::string("the key attribute ").append(name).append(" is missing"));
    entry.key.append(std::to_string(value->bytes().size())).append(":").append(value->bytes());
  }
  append_item_json(entry.json, *item);
  return entry;
}

std::string item_name(std::size_t index) {
  return std::string("item ").append(std::to_string(index + 1));
}

}  // namespace

tl::expected<void, Failure> put_items(const data::Endpoint& endpoint, const std::string& table,
                                      const data::TableInfo& info,
                                      const std::vector<std::string>& items) {
  std::string refusal;  // written under the writer's lock
  data::Rate rate{0};
  data::ItemWriter writer{endpoint, table, kConnections, rate,
                          [&refusal](const data::Entry& entry, const std::string& why) {
                            refusal = std::string(entry.origin).append(": ").append(why);
                            return false;
                          }};
  const auto failed = [&](const std::string& why) {
    return tl::unexpected(Failure{"", std::string(table).append(": ").append(why)});
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto entry = entry_of_item(items[i], info);
    if (!entry) return failed(item_name(i).append(": ").append(entry.error()));
    entry->origin = item_name(i);
    if (!writer.add(*std::move(entry))) break;
  }
  if (writer.finish()) return {};
  if (!refusal.empty()) return failed(refusal);
  return failed(writer.failure().empty() ? "interrupted" : writer.failure());
}

}  // namespace stator::templates
