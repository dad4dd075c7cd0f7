#include "server/data/formats/json_records.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "protocol/json/json_reader.h"
#include "server/data/formats/file_look.h"
#include "server/data/formats/ion_records.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

// Enough to see the first members of a response.
constexpr std::size_t kLookAheadBytes = std::size_t{16} << 10;

bool is_space(int byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

void skip_space(InputFile& file) {
  if (file.line() == 1) file.skip_byte_order_mark();
  while (is_space(file.peek())) file.take();
}

// Reads one value into `text`, with spaces for line breaks between its parts. Returns false if the
// file ends within it or it is longer than a record may be.
bool take_value(InputFile& file, std::string& text) {
  int depth = 0;
  bool is_string = false;
  for (;;) {
    const int byte = file.peek();
    const bool is_behind = depth == 0 && !is_string && (byte == ',' || byte == ']' || byte == '}');
    if (byte < 0 || (is_behind && text.empty())) return false;
    if (is_behind) return true;
    file.take();
    text += static_cast<char>(byte == '\n' ? ' ' : byte);
    if (text.size() > kRecordBytesMax) {
      file.fail(kTooLong);
      return false;
    }
    if (is_string) {
      if (byte == '\\' && file.peek() >= 0) text += static_cast<char>(file.take());
      is_string = byte != '"';
    } else if (byte == '"') {
      is_string = true;
    } else if (byte == '{' || byte == '[') {
      ++depth;
    } else if (byte == '}' || byte == ']') {
      --depth;
    }
    const bool is_whole = depth == 0 && !is_string && (byte == '"' || byte == '}' || byte == ']');
    if (is_whole) return true;
  }
}

void skip_space(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
}

bool skip(std::string_view& text, std::string_view token) {
  skip_space(text);
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

// Skips one of the names and its colon. Names with escapes are not recognised.
bool skip_name(std::string_view& text, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&text](std::string_view name) {
    std::string_view behind = text;
    if (!skip(behind, "\"") || !behind.starts_with(name)) return false;
    behind.remove_prefix(name.size());
    if (!behind.starts_with('"')) return false;
    behind.remove_prefix(1);
    if (!skip(behind, ":")) return false;
    text = behind;
    return true;
  });
}

// Whether an object that begins with this text, after its '{', is a response to Scan or Query. A
// plain item may have an attribute Items too. So the array must be empty beside members that only a
// response has, or begin with a typed item.
bool begins_answer(std::string_view text) {
  constexpr std::array<std::string_view, 6> kMembers = {
      "Count", "ScannedCount", "LastEvaluatedKey", "ConsumedCapacity", "NextToken", "Items"};
  constexpr std::array<std::string_view, 10> kTypes = {"S",  "N", "B", "SS",   "NS",
                                                       "BS", "L", "M", "NULL", "BOOL"};
  std::string_view members = text;
  if (!skip_name(members, kMembers)) return false;
  const std::array<std::string_view, 1> items{"Items"};
  while (!skip_name(text, items)) {
    text.remove_prefix(std::min(text.size(), text.find("\"Items\"", 1)));
    if (text.empty()) return false;
  }
  if (!skip(text, "[")) return false;
  if (skip(text, "]")) return skip(text, "}") || (skip(text, ",") && skip_name(text, kMembers));
  if (!skip(text, "{") || !skip(text, "\"")) return false;
  text.remove_prefix(std::min(text.size(), text.find('"')));
  return skip(text, "\"") && skip(text, ":") && skip(text, "{") && skip_name(text, kTypes);
}

// Splits a top-level array, or the Items of top-level objects, into elements.
class ArraySplitter {
 public:
  explicit ArraySplitter(InputFile& file) : file_{file} {}

  // The next element as text; empty at the end or on an error.
  std::optional<std::string> next() {
    std::string text;
    while (!is_inside_) {
      if (!enter()) return std::nullopt;
    }
    if (!element(text)) return std::nullopt;
    return text.empty() ? next() : std::optional(std::move(text));
  }

  std::uint64_t line() const { return line_; }
  const std::string& error() const { return error_; }

 private:
  bool fail(std::string_view what) {
    error_ = file_.path() + " line " + std::to_string(file_.line()) + ": " + std::string(what);
    return false;
  }

  // Moves to the first element of the next array.
  bool enter() {
    skip_space(file_);
    const int byte = file_.peek();
    if (byte < 0) return false;
    if (byte == '[') {
      file_.take();
      is_inside_ = true;
      is_in_object_ = false;
      return true;
    }
    if (byte != '{') return fail("neither an object nor an array begins here");
    file_.take();
    has_items_ = false;
    return members();
  }

  // After '{' or ',' of a top-level object: moves to its Items, or to its end.
  bool members() {
    for (;;) {
      skip_space(file_);
      if (file_.peek() == '}') {
        file_.take();
        return has_items_ || fail("an answer without Items");
      }
      if (file_.peek() == ',') {
        file_.take();
        continue;
      }
      std::string name;
      if (file_.peek() != '"' || !take_value(file_, name)) return fail("this is no JSON");
      skip_space(file_);
      if (file_.take() != ':') return fail("this is no JSON");
      skip_space(file_);
      if (name == "\"Items\"" && file_.peek() == '[') {
        file_.take();
        is_inside_ = true;
        is_in_object_ = true;
        has_items_ = true;
        return true;
      }
      std::string skipped;
      if (!take_value(file_, skipped)) return fail("the file ends too early, or this is no JSON");
    }
  }

  // Reads an element. After the last one, leaves `text` empty and continues after the array.
  bool element(std::string& text) {
    skip_space(file_);
    if (file_.peek() == ',') file_.take();
    skip_space(file_);
    line_ = file_.line();
    if (file_.peek() == ']') {
      file_.take();
      is_inside_ = false;
      return is_in_object_ ? members() : true;
    }
    return take_value(file_, text) || fail("the file ends too early, or this is no JSON");
  }

  InputFile& file_;
  bool is_inside_ = false;
  bool is_in_object_ = false;
  bool has_items_ = false;  // the top object
  std::uint64_t line_ = 0;
  std::string error_;
};

class JsonReader final : public RecordReader {
 public:
  JsonReader(InputFile file, Format format, bool is_array)
      : file_{std::move(file)},
        format_{format == Format::Scan ? Format::DynamodbJson : format},
        is_scan_{format == Format::Scan},
        is_array_{is_array || is_scan_} {}

  bool next(Record& record) override {
    record.problem.clear();
    record.raw.clear();
    if (!(is_array_ ? next_element(record) : next_line(record))) return false;
    if (record.problem.empty()) {
      record.text = record.raw;
      read_json_record(record, format_);
    }
    return true;
  }

  std::string error() const override {
    return file_.error().empty() ? splitter_.error() : file_.error();
  }
  std::string path() const override { return file_.path(); }
  std::uint64_t bytes_read() const override { return file_.bytes_read(); }
  std::uint64_t bytes_total() const override { return file_.bytes_total(); }
  std::string_view format_text() const override {
    if (is_scan_) return "output of a scan";
    if (format_ == Format::DynamodbJson) return is_array_ ? "DynamoDB JSON" : "DynamoDB JSON Lines";
    return is_array_ ? "JSON" : "JSON Lines";
  }

 private:
  bool next_element(Record& record) {
    auto element = splitter_.next();
    if (!element) return false;
    record.line = splitter_.line();
    record.raw = *std::move(element);
    return true;
  }

  // Skips blank lines.
  bool next_line(Record& record) {
    do {
      record.raw.clear();
      record.line = file_.line();
      if (record.line == 1) skip_space(file_);
      if (!file_.take_line(record.raw)) return false;
    } while (std::all_of(record.raw.begin(), record.raw.end(),
                         [](char byte) { return is_space(byte); }));
    return true;
  }

  InputFile file_;
  Format format_;
  bool is_scan_;
  bool is_array_;
  ArraySplitter splitter_{file_};
};

}  // namespace

void read_json_record(Record& record, Format& format) {
  record.arena.reset();
  record.is_delete = false;
  const auto read = read_json(record.text, record.arena);
  if (!read) {
    const std::string_view look = text_look(record.text);
    record.problem = "it is no JSON";
    if (look != "plain text") record.problem.append(", it looks like ").append(look);
    return;
  }
  if (read->kind() != JsonNode::Kind::Object) {
    record.problem = "it is no JSON object";
    return;
  }
  const JsonNode* const wrapped = read->members().size() == 1 ? read->find("Item") : nullptr;
  const bool is_wrapped = wrapped != nullptr && is_typed_item(*wrapped);
  if (format == Format::Auto)
    format = is_wrapped || is_typed_item(*read) ? Format::DynamodbJson : Format::Json;
  if (format == Format::DynamodbJson) {
    // {"Item":{"M":{…}}} is an item with an attribute Item.
    const bool is_item = is_wrapped || (wrapped != nullptr && !is_typed_item(*read) &&
                                        wrapped->kind() == JsonNode::Kind::Object);
    record.item = is_item ? *wrapped : *read;
    return;
  }
  std::string typed;
  append_typed_item(typed, *read);
  record.text = std::move(typed);
  record.arena.reset();
  const auto again = read_json(record.text, record.arena);
  if (again) {
    record.item = *again;
  } else {
    record.problem = "it is nested too deep";
  }
}

Format recognise(InputFile& file) {
  skip_space(file);
  if (begins_ion(file)) return Format::Ion;
  const int first = file.peek();
  if (first != '{' && first != '[') return first < 0 ? Format::Json : Format::Csv;
  if (first == '[') return Format::Json;
  return begins_answer(file.look_ahead(kLookAheadBytes).substr(1)) ? Format::Scan : Format::Json;
}

std::unique_ptr<RecordReader> make_json_reader(InputFile file, Format format) {
  skip_space(file);
  const bool is_array = file.peek() == '[';
  return std::make_unique<JsonReader>(std::move(file), format, is_array);
}

}  // namespace stator::data
