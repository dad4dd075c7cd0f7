// ItemTable: items as an aligned table, page by page.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/values/value.h"

namespace stator::client {

class ItemTable {
 public:
  // The attributes `leading` are the first columns, the others follow by name. `width`: columns of
  // the terminal; empty: nothing is cut.
  ItemTable(std::vector<std::string> leading, std::optional<std::size_t> width)
      : leading_{std::move(leading)}, width_{width} {}

  // Returns the lines of a page. The header comes with the first page, and again with a page that
  // has other attributes. Holds nothing of a page but its columns.
  std::string page(std::span<const Item> items);

  // Columns that had no space, at most in one page.
  std::size_t hidden_columns() const { return hidden_columns_; }

 private:
  struct Column {
    std::string name;
    std::size_t width = 0;
    bool is_number = true;  // all its values are; aligned to the right
  };
  struct Cell {
    std::string text;
    bool is_number = false;
  };

  void lay_out(std::span<const Item> items);
  void append_row(std::string& out, const std::vector<Cell>& cells) const;
  void append_header(std::string& out) const;

  std::vector<std::string> leading_;
  std::optional<std::size_t> width_;
  std::vector<Column> columns_;
  std::set<std::string, std::less<>> known_;  // names in the layout, hidden ones too
  std::size_t hidden_columns_ = 0;
};

}  // namespace stator::client
