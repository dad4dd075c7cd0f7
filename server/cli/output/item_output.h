// Items on stdout, in the form that the user chose.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/values/value.h"
#include "server/cli/output/standard_output.h"
#include "server/data/transfer/table_info.h"

namespace stator::client {

enum class OutputFormat : std::uint8_t { Auto, Table, Json, JsonLines, DynamodbJson, Csv };

struct OutputOptions {
  OutputFormat format = OutputFormat::Auto;  // Auto: a table on a terminal, else JSON lines
  bool is_full = false;                      // cells are not cut
  bool is_one_item = false;                  // Json is the item and not an array
};

class ItemOutput {
 public:
  virtual ~ItemOutput() = default;
  // Writes a page. Except for CSV, whose header needs all items, it is on stdout on return.
  virtual Output add(std::span<const Item> items) = 0;
  virtual Output finish() = 0;
};

// `table` has the keys, the first attributes of each item, with their types. From now on a closed
// stdout is an error of writing, no signal. The error is for people.
tl::expected<std::unique_ptr<ItemOutput>, std::string> make_output(const OutputOptions& options,
                                                                   const data::TableInfo& table);

// The item with the attributes `leading` first and the others by name. The result refers to `item`.
std::vector<Member> in_order(Item item, std::span<const std::string> leading);

}  // namespace stator::client
