#include "server/data/formats/csv_records.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/text/utf8.h"
#include "protocol/values/value.h"
#include "server/data/recognition/file_look.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

struct Cell {
  std::string text;
  bool is_quoted = false;
};

// Splits lines into cells.
class Splitter {
 public:
  Splitter(InputFile& file, char delimiter) : file_{file}, delimiter_{delimiter} {}

  // Reads one line into `cells`, and its text without the last line break into `raw`. `problem` is
  // an error of this line, for people; reading continues after it. Returns false at the end and on
  // an error of the file.
  bool next(std::vector<Cell>& cells, std::string& raw, std::string& problem) {
    cells.assign(1, {});
    raw.clear();
    problem.clear();
    if (file_.peek() < 0) return false;
    bool is_inside = false;  // of quotes
    for (;;) {
      const int byte = file_.take();
      if (byte < 0 || (byte == '\n' && !is_inside)) break;
      raw += static_cast<char>(byte);
      if (raw.size() > kRecordBytesMax) {
        file_.fail(std::string(kTooLong) +
                   (is_inside ? "; a quote is opened that is never closed" : ""));
        return false;
      }
      Cell& cell = cells.back();
      if (byte == '"' && is_inside && file_.peek() == '"') {
        raw += static_cast<char>(file_.take());
        cell.text += '"';
      } else if (byte == '"' && (is_inside || cell.text.empty())) {
        is_inside = !is_inside;
        cell.is_quoted = true;
      } else if (byte == delimiter_ && !is_inside) {
        if (cells.size() == kColumnsMax) problem = "it has more than 10,000 cells";
        if (cells.size() < kColumnsMax) cells.emplace_back();
      } else if (byte == '\r' && !is_inside && (file_.peek() == '\n' || file_.peek() < 0)) {
        raw.pop_back();
      } else {
        cell.text += static_cast<char>(byte);
      }
    }
    if (!file_.error().empty()) return false;  // it is cut
    if (is_inside) problem = "a quotation mark is never closed";
    return true;
  }

 private:
  InputFile& file_;
  const char delimiter_;
};

std::string_view without_digits(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  return text;
}

// Whether the text is a number as people write them; 007, postcodes and phone numbers are not.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool is_padded = text.size() > 1 && text[0] == '0' && text[1] != '.';
  std::string_view rest = without_digits(text);
  if (is_padded || rest.size() == text.size()) return false;
  if (rest.starts_with('.')) {
    const std::string_view behind = without_digits(rest.substr(1));
    if (behind.size() + 1 == rest.size()) return false;
    rest = behind;
  }
  return rest.empty();
}

// What may stand between cells; the first that fits counts.
constexpr std::array kDelimiters = {',', ';', '\t'};

// The first line, without consuming it; a part of it if no header is that long.
std::string_view look_at_line(InputFile& file) {
  constexpr std::size_t kHeadBytesMax = std::size_t{1} << 20;
  std::size_t wanted = 1;
  for (;;) {
    const std::string_view seen = file.look_ahead(wanted);
    const std::size_t end = seen.find('\n');
    const bool is_all = end != std::string_view::npos || seen.size() < wanted;
    if (is_all || seen.size() >= kHeadBytesMax) return seen.substr(0, end);
    wanted = seen.size() + 1;
  }
}

struct Column {
  std::string name;
  std::string type;
  bool is_guessed = false;  // the type
  bool has_number = false;  // cells that look like one
  bool has_other = false;   // cells that do not

  void note(std::string_view cell) {
    if (!is_guessed || has_other) return;
    (looks_like_number(cell) ? has_number : has_other) = true;
  }
};

Column column_of(std::string text, const ReadOptions& options) {
  const auto known = options.types.find(text);
  if (known != options.types.end()) return {std::move(text), known->second};
  const auto told = options.column_types.find(text);
  if (told != options.column_types.end()) return {std::move(text), told->second};
  const std::size_t colon = options.has_plain_columns ? std::string::npos : text.rfind(':');
  if (colon != std::string::npos && colon != 0 && find_type(text.substr(colon + 1)))
    return {text.substr(0, colon), text.substr(colon + 1)};
  return {std::move(text), "S", /*is_guessed=*/true};
}

std::vector<Cell> cells_of_line(std::string_view line, char delimiter) {
  std::vector<Cell> cells(1);
  bool is_inside = false;  // of quotes
  for (const char byte : line) {
    if (byte == '"') {
      is_inside = !is_inside;
    } else if (byte == delimiter && !is_inside) {
      cells.emplace_back();
    } else if (byte != '\r') {
      cells.back().text += byte;
    }
  }
  return cells;
}

// Whether the first line, cut so, fits the names of --header or else has all keys of the table.
bool fits_line(std::vector<Cell> cells, const ReadOptions& options) {
  if (!options.header.empty()) return cells.size() == options.header.size();
  std::set<std::string> names;
  for (Cell& cell : cells) names.insert(column_of(std::move(cell.text), options).name);
  return std::all_of(options.keys.begin(), options.keys.end(),
                     [&names](const std::string& key) { return names.contains(key); });
}

// The delimiter of a file; a comma if none fits, so that messages are about CSV as most know it.
char delimiter_in(InputFile& file, const ReadOptions& options) {
  if (options.delimiter) return *options.delimiter;
  file.skip_byte_order_mark();
  const std::string_view line = look_at_line(file);
  const bool is_known = !options.header.empty() || !options.keys.empty();
  std::size_t most = 1;
  char found = kDelimiters.front();
  for (const char delimiter : kDelimiters) {
    auto cells = cells_of_line(line, delimiter);
    const std::size_t count = cells.size();
    if (is_known && fits_line(std::move(cells), options)) return delimiter;
    if (is_known || count <= most) continue;
    most = count;
    found = delimiter;
  }
  return found;
}

class CsvReader final : public RecordReader {
 public:
  CsvReader(InputFile file, const ReadOptions& options)
      : file_{std::move(file)},
        delimiter_{delimiter_in(file_, options)},
        splitter_{file_, delimiter_},
        has_empty_strings_{options.has_plain_columns} {}

  // Reads the header. Returns an error; empty if none.
  std::string read_head(const ReadOptions& options) {
    std::vector<Cell> cells;
    if (options.header.empty()) {
      std::string problem;
      file_.skip_byte_order_mark();
      if (!splitter_.next(cells, head_, problem))
        return file_.error().empty() ? file_.path() + " is empty" : file_.error();
      if (!is_valid_utf8(head_)) problem = "it is not UTF-8";
      if (!problem.empty()) return wrong_head(problem);
    } else {
      for (const std::string& name : options.header) cells.push_back({name, false});
    }
    for (Cell& cell : cells) {
      if (cell.text.empty()) return wrong_head("a column has no name");
      columns_.push_back(column_of(std::move(cell.text), options));
    }
    return check_columns(options);
  }

  bool next(Record& record) override {
    do {
      record.line = file_.line();
      if (!splitter_.next(cells_, record.raw, record.problem)) return false;
    } while (record.raw.empty());
    if (record.problem.empty() && !is_valid_utf8(record.raw)) record.problem = "it is not UTF-8";
    if (record.problem.empty() && cells_.size() != columns_.size()) {
      record.problem = "it has " + std::to_string(cells_.size()) + " cells, the header has " +
                       std::to_string(columns_.size());
    }
    if (record.problem.empty()) build(record);
    return true;
  }

  std::string error() const override { return file_.error(); }
  std::string path() const override { return file_.path(); }
  std::uint64_t bytes_read() const override { return file_.bytes_read(); }
  std::uint64_t bytes_total() const override { return file_.bytes_total(); }
  std::string format_text() const override {
    if (delimiter_ == '\t') return "CSV with tabs";
    return delimiter_ == ';' ? "CSV with semicolons" : "CSV";
  }
  std::string head() const override { return head_; }
  std::vector<std::string> number_like() const override {
    std::vector<std::string> names;
    for (const Column& column : columns_)
      if (column.has_number && !column.has_other) names.push_back(column.name);
    return names;
  }

 private:
  std::string wrong_head(const std::string& why) const {
    return head_.empty() ? "--header: " + why : file_.path() + " line 1: " + why;
  }

  // Several columns may have the same attribute if their types differ.
  std::string check_columns(const ReadOptions& options) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    std::set<std::string_view, std::less<>> names;
    for (const Column& column : columns_) {
      names.insert(column.name);
      if (!seen.emplace(column.name, column.type).second)
        return wrong_head("the column '" + column.name + "' is there twice");
    }
    has_twins_ = names.size() < columns_.size();
    for (const auto& [name, type] : options.column_types) {
      if (!names.contains(name))
        return wrong_head("no column has the name '" + name + "' of --types");
    }
    for (const std::string& key : options.keys) {
      if (names.contains(key)) continue;
      const std::string lacks = "no column has the name of the key attribute '" + key + "'";
      if (head_.empty()) return wrong_head(lacks);
      const std::string_view look = text_look(head_);
      const bool is_other_csv = look == "plain text" && columns_.size() > 1;
      return wrong_head(lacks + ", so it is no CSV with a header for this table; it looks like " +
                        std::string(is_other_csv ? "other CSV" : look));
    }
    return {};
  }

  void build(Record& record) {
    std::set<std::string_view> names;
    record.text = "{";
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const bool is_string = cells_[i].is_quoted || (has_empty_strings_ && columns_[i].is_guessed);
      if (cells_[i].text.empty() && !is_string) continue;
      if (record.text.size() > 1) record.text += ',';
      columns_[i].note(cells_[i].text);
      if (has_twins_ && !names.insert(columns_[i].name).second)
        record.problem = "two cells are of the attribute '" + columns_[i].name + "'";
      append_json_string(record.text, columns_[i].name);
      record.text += ':';
      append_value_of_cell(record.text, columns_[i].type, cells_[i].text);
    }
    record.text += '}';
    record.is_delete = false;
    record.arena.reset();
    const auto read = read_json(record.text, record.arena);
    if (read) {
      record.item = *read;
    } else if (record.problem.empty()) {
      record.problem = "a cell of a column with a type is no JSON of that type";
    }
  }

  InputFile file_;
  const char delimiter_;
  Splitter splitter_;
  const bool has_empty_strings_;  // for empty cells of columns that are no keys
  std::string head_;
  std::vector<Column> columns_;
  bool has_twins_ = false;  // two columns have the same attribute with different types
  std::vector<Cell> cells_;
};

}  // namespace

tl::expected<std::unique_ptr<RecordReader>, std::string> make_csv_reader(
    InputFile file, const ReadOptions& options) {
  auto reader = std::make_unique<CsvReader>(std::move(file), options);
  std::string problem = reader->read_head(options);
  if (!problem.empty()) return tl::unexpected(std::move(problem));
  return std::unique_ptr<RecordReader>(std::move(reader));
}

}  // namespace stator::data
