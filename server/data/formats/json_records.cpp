#include "server/data/formats/json_records.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json/json_mistake.h"
#include "protocol/json/json_reader.h"
#include "server/data/formats/ion_records.h"
#include "server/data/formats/json_elements.h"
#include "server/data/recognition/file_look.h"
#include "server/data/recognition/item_form.h"
#include "server/data/recognition/json_form.h"
#include "server/data/recognition/json_sample.h"
#include "server/data/recognition/type_names.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

bool is_empty_line(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Where a file has its items.
struct Layout {
  JsonForm form;
  bool is_by_line = false;  // an object in each line
  bool is_array = false;    // at the top
};

// A sample of the object that begins here, which is not consumed.
JsonSample look_at_object(InputFile& file) {
  JsonSampler sampler;
  std::size_t seen_bytes = 0;
  while (seen_bytes < kRecordBytesMax) {
    const std::string_view text = file.look_ahead(seen_bytes + 1);
    const bool is_end = text.size() == seen_bytes;
    if (is_end || !sampler.take(text.substr(seen_bytes))) break;
    seen_bytes = text.size();
  }
  return std::move(sampler).finish();
}

// Whether another object follows in the same line.
bool is_followed(InputFile& file, const JsonSample& object) {
  std::string_view rest = file.look_ahead(object.size_bytes).substr(object.size_bytes);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
  return rest.starts_with('{');
}

Layout layout_of_object(InputFile& file, Format format, const ReadOptions& options) {
  if (format == Format::Scan) return {{JsonForm::Kind::Answer, "Items", false, ""}};
  JsonSample sample = look_at_object(file);
  Arena arena;
  std::string text = sample.text;
  const auto node = read_json(text, arena);
  Layout layout;
  if (node) layout.form = form_of(*node, options.keys, options.table);
  const bool is_spread = sample.has_line_breaks || (sample.is_whole && is_followed(file, sample));
  layout.is_by_line = layout.form.kind == JsonForm::Kind::Item && (sample.is_broken || !is_spread);
  return layout;
}

Layout layout_of(InputFile& file, Format format, const ReadOptions& options) {
  skip_space(file);
  // Strictly, an object after an array is no item.
  const auto kind = options.is_strict ? JsonForm::Kind::Answer : JsonForm::Kind::Item;
  if (file.peek() == '[') return {{kind, "Items", false, ""}, false, true};
  if (options.is_strict || file.peek() != '{') return {{}, true, false};
  return layout_of_object(file, format, options);
}

// Of an object over several lines the column tells nothing, so the text there is shown.
std::string mistake_in(const Record& record, std::size_t error_at, bool is_by_line) {
  const std::string_view look = text_look(record.raw);
  if (look != "plain text") return std::string(", it looks like ").append(look);
  if (is_by_line) return json_mistake_at(record.raw, error_at);
  const std::string mistake = json_mistake(record.raw, error_at);
  return mistake.empty() ? mistake : ": " + mistake;
}

// Parses `record.text`, which is `record.raw`; none with `record.problem`.
std::optional<JsonNode> read_object(Record& record, bool is_by_line) {
  record.arena.reset();
  record.is_delete = false;
  std::size_t error_at = 0;
  const auto read = read_json(record.text, record.arena, &error_at);
  if (!read) {
    record.problem = "it is no JSON" + mistake_in(record, error_at, is_by_line);
    return std::nullopt;
  }
  if (read->kind() == JsonNode::Kind::Object) return *read;
  record.problem = "it is no JSON object";
  return std::nullopt;
}

// Parses `typed`, made of `record`, into `record.item`.
void take_typed(Record& record, std::string typed) {
  record.text = std::move(typed);
  record.arena.reset();
  const auto again = read_json(record.text, record.arena);
  if (again) {
    record.item = *again;
  } else {
    record.problem = "it is nested too deep";
  }
}

void take_plain(Record& record, const JsonNode& object) {
  std::string typed;
  append_typed_item(typed, object);
  take_typed(record, std::move(typed));
}

class JsonReader final : public RecordReader {
 public:
  JsonReader(InputFile file, Format format, Layout layout, const ReadOptions& options)
      : file_{std::move(file)},
        format_{format == Format::Scan ? Format::DynamodbJson : format},
        layout_{std::move(layout)},
        keys_{options.keys},
        is_strict_{options.is_strict},
        elements_{file_, layout_.form} {}

  bool next(Record& record) override {
    if (!take(record)) return false;
    if (!is_description_) return true;
    is_description_ = false;
    is_dump_ = true;
    return take(record);
  }

  std::string error() const override {
    return file_.error().empty() ? elements_.error() : file_.error();
  }
  std::string path() const override { return file_.path(); }
  std::uint64_t bytes_read() const override { return file_.bytes_read(); }
  std::uint64_t bytes_total() const override { return file_.bytes_total(); }
  std::string format_text() const override {
    std::string text = format_ == Format::DynamodbJson ? "DynamoDB JSON" : "JSON";
    const std::string form = form_text(layout_.form);
    if (!form.empty()) {
      text.append(", ").append(form);
    } else {
      text += layout_.is_array     ? " array"
              : layout_.is_by_line ? " Lines"
                                   : " objects one after another";
    }
    if (is_dump_) text += ", a dump of dyno";
    if (has_small_types_) text += ", types in small letters";
    if (!item_form_.empty() && item_form_ != form) text.append(", ").append(item_form_);
    return text;
  }

 private:
  bool take(Record& record) {
    record.problem.clear();
    record.raw.clear();
    if (!(layout_.is_by_line ? next_line(record) : next_element(record))) return false;
    if (record.problem.empty()) {
      record.text = record.raw;
      is_strict_ ? read_json_record(record, format_, layout_.is_by_line) : read_form(record);
    }
    return true;
  }

  bool next_element(Record& record) {
    auto element = elements_.next();
    if (!element) return false;
    record.line = elements_.line();
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
    } while (is_empty_line(record.raw));
    return true;
  }

  // Reads an object that may have the item in it. The first one decides about types.
  void read_form(Record& record) {
    const auto object = read_object(record, layout_.is_by_line);
    if (!object) return;
    is_description_ = !is_begun_ && !is_dump_ && is_table_description(*object, keys_);
    if (is_description_) return;
    const ItemForm form = item_form_of(*object, keys_);
    record.is_delete = form.is_delete;
    record.problem = form.problem;
    if (item_form_.empty()) item_form_ = form.what;
    if (!record.problem.empty()) return;
    const bool is_own = is_typed_item(form.item);
    if (format_ != Format::Json && !is_begun_)
      has_small_types_ = !is_own && has_small_types(form.item, keys_);
    const bool is_typed = has_small_types_ || is_own;
    if (format_ == Format::Auto) format_ = is_typed ? Format::DynamodbJson : Format::Json;
    is_begun_ = true;
    if (format_ == Format::Json) return take_plain(record, form.item);
    record.item = form.item;
    if (!has_small_types_) return;
    std::string typed;
    append_with_types(typed, form.item);
    take_typed(record, std::move(typed));
  }

  InputFile file_;
  Format format_;
  const Layout layout_;
  const std::vector<std::string> keys_;
  const bool is_strict_;
  bool is_begun_ = false;
  bool has_small_types_ = false;
  bool is_description_ = false;  // the first object is no item but describes the table
  bool is_dump_ = false;         // it was
  std::string item_form_;        // around the first item
  JsonElements elements_;
};

}  // namespace

void read_json_record(Record& record, Format& format, bool is_by_line) {
  const auto read = read_object(record, is_by_line);
  if (!read) return;
  const JsonNode* const wrapped = read->members().size() == 1 ? read->find("Item") : nullptr;
  const bool is_wrapped = wrapped != nullptr && is_typed_item(*wrapped);
  if (format == Format::Auto)
    format = is_wrapped || is_typed_item(*read) ? Format::DynamodbJson : Format::Json;
  if (format == Format::Json) return take_plain(record, *read);
  // {"Item":{"M":{…}}} is an item with an attribute Item.
  const bool is_item = is_wrapped || (wrapped != nullptr && !is_typed_item(*read) &&
                                      wrapped->kind() == JsonNode::Kind::Object);
  record.item = is_item ? *wrapped : *read;
}

Format recognise(InputFile& file) {
  skip_space(file);
  if (begins_ion(file)) return Format::Ion;
  const int first = file.peek();
  return first < 0 || first == '{' || first == '[' ? Format::Json : Format::Csv;
}

std::unique_ptr<RecordReader> make_json_reader(InputFile file, Format format,
                                               const ReadOptions& options) {
  Layout layout = layout_of(file, format, options);
  return std::make_unique<JsonReader>(std::move(file), format, std::move(layout), options);
}

}  // namespace stator::data
