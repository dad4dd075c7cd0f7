// Any text as a template: what is read as a tree is JSON again, within the bounds, and the tables
// that it has are bodies of JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/templates/read_templates.h"
#include "server/templates/tree/node_values.h"
#include "server/templates/tree/read_tree.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

bool is_json(std::string text) {
  stator::Arena arena;
  return stator::read_json(text, arena).has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stator::templates;
  const std::string text(reinterpret_cast<const char*>(data), size);
  {
    Forest forest;
    const auto root = read_tree(forest, "t.yaml", text);
    if (root) {
      std::string json;
      append_json(json, *root);
      demand(is_json(json));
    }
  }
  ReadOptions options;
  options.environment = [](const std::string& /*name*/) { return std::optional<std::string>(); };
  const auto tables = read_template_text(text, "t.yaml", options);
  demand(tables ? !tables->empty() : !tables.error().empty());
  if (!tables) return 0;
  for (const DesiredTable& table : *tables) {
    demand(is_json(table.create_body));
    for (const std::string& item : table.items) demand(is_json(item));
  }
  return 0;
}
