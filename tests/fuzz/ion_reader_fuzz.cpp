// Any line: what the reader of Ion takes is JSON, and an item that it gives reads back equal from
// the Ion that is written of it.
#include "server/data/transfer/ion_reader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/data/formats/item_of.h"
#include "server/data/transfer/ion_text.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

// In DynamoDB JSON; empty if the line has no item.
std::string item_json(std::string_view line, std::string* ion) {
  std::string json;
  if (!stator::data::append_ion_line_json(json, line)) return {};
  stator::Arena arena;
  const auto root = stator::read_json(json, arena);
  demand(root.has_value());
  const auto* const node = root->find("Item");
  if (node == nullptr) return {};
  const auto item = stator::data::item_of(*node, arena);
  if (!item) return {};
  if (ion != nullptr) {
    *ion = "$ion_1_0 {Item:";
    stator::data::append_ion_item(*ion, *item);
    *ion += '}';
  }
  std::string text;
  stator::append_item_json(text, *item);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  std::string ion;
  const std::string item = item_json(line, &ion);
  if (!item.empty()) demand(item_json(ion, nullptr) == item);
  return 0;
}
