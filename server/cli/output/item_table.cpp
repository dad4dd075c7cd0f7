#include "server/cli/output/item_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/cli/output/cells.h"
#include "server/log/log_text.h"

namespace stator::client {

namespace {

// More make lines that no one reads, and a page of items with different attributes large.
constexpr std::size_t kColumnsMax = 1'000;

void pad(std::string& line, std::size_t count) { line.append(count, ' '); }

}  // namespace

void ItemTable::lay_out(std::span<const Item> items) {
  std::map<std::string, Column, std::less<>> found;
  for (const Item item : items) {
    for (const Member& member : item) {
      Column& column = found.try_emplace(std::string{member.name}).first->second;
      column.width = std::max(column.width, text_width(cell_text(member.value)));
      column.is_number = column.is_number && member.value.type() == Type::N;
    }
  }
  known_.clear();
  columns_.clear();
  const auto take = [this](const std::string& name, Column column) {
    column.name = name;
    column.width = std::max(column.width, text_width(log::escaped(name)));
    if (columns_.size() < kColumnsMax) columns_.push_back(std::move(column));
  };
  for (const std::string& name : leading_) {
    if (const auto column = found.find(name); column != found.end()) take(name, column->second);
  }
  for (const auto& [name, column] : found) {
    known_.insert(name);
    if (std::find(leading_.begin(), leading_.end(), name) == leading_.end()) take(name, column);
  }
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (const Column& column : columns_) widths.push_back(column.width);
  if (width_) widths = fitted_widths(std::move(widths), *width_);
  hidden_columns_ = std::max(hidden_columns_, found.size() - widths.size());
  columns_.resize(widths.size());
  for (std::size_t i = 0; i < widths.size(); ++i) columns_[i].width = widths[i];
}

void ItemTable::append_row(std::string& out, const std::vector<Cell>& cells) const {
  std::string line;
  std::size_t waiting = 0;  // spaces, written only before more text
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const std::string text = width_ ? cut_text(cells[i].text, column.width) : cells[i].text;
    const std::size_t rest = column.width - std::min(column.width, text_width(text));
    const bool is_right = column.is_number && cells[i].is_number;
    if (is_right) waiting += rest;
    if (!text.empty()) pad(line, std::exchange(waiting, 0));
    line += text;
    waiting += (is_right ? 0 : rest) + kGapWidth;
  }
  out += line;
  out += '\n';
}

void ItemTable::append_header(std::string& out) const {
  std::vector<Cell> names;
  std::vector<Cell> rule;
  names.reserve(columns_.size());
  rule.reserve(columns_.size());
  for (const Column& column : columns_) {
    names.push_back({log::escaped(column.name), column.is_number});
    rule.push_back({std::string(column.width, '-'), false});
  }
  append_row(out, names);
  append_row(out, rule);
}

std::string ItemTable::page(std::span<const Item> items) {
  std::string out;
  const bool fits = std::all_of(items.begin(), items.end(), [this](Item item) {
    return std::all_of(item.begin(), item.end(), [this](const Member& member) {
      return known_.find(member.name) != known_.end();
    });
  });
  if (!items.empty() && (!fits || columns_.empty())) {
    if (!columns_.empty()) out += '\n';
    lay_out(items);
    append_header(out);
  }
  for (const Item item : items) {
    std::vector<Cell> cells;
    for (const Column& column : columns_) {
      const Value* const value = find_attribute(item, column.name);
      Cell& cell = cells.emplace_back();
      if (value == nullptr) continue;
      cell = {cell_text(*value), value->type() == Type::N};
    }
    append_row(out, cells);
  }
  return out;
}

}  // namespace stator::client
