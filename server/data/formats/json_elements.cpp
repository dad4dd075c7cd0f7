#include "server/data/formats/json_elements.h"

#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace stator::data {

namespace {

constexpr std::string_view kNoJson = "this is no JSON";
constexpr std::string_view kEndsEarly = "the file ends too early, or this is no JSON";

bool is_space(int byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

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

// Whether the text of an array begins with an object.
bool begins_list(std::string_view array) {
  const std::size_t first = array.find_first_not_of(" \t\r\n", 1);
  return first != std::string_view::npos && array[first] == '{';
}

}  // namespace

void skip_space(InputFile& file) {
  if (file.line() == 1) file.skip_byte_order_mark();
  while (is_space(file.peek())) file.take();
}

std::optional<std::string> JsonElements::next() {
  std::string text;
  while (text.empty() && error_.empty()) {
    bool goes_on = false;
    switch (place_) {
      case Place::Top:
        goes_on = top(text);
        break;
      case Place::Object:
        goes_on = member();
        break;
      case Place::Tables:
        goes_on = table();
        break;
      case Place::Array:
        goes_on = element(text);
        break;
    }
    if (!goes_on) return std::nullopt;
  }
  return error_.empty() ? std::optional(std::move(text)) : std::nullopt;
}

bool JsonElements::fail(std::string_view what) {
  error_ = file_.path() + " line " + std::to_string(file_.line()) + ": " + std::string(what);
  return false;
}

bool JsonElements::read(std::string& text) { return take_value(file_, text) || fail(kEndsEarly); }

bool JsonElements::top(std::string& text) {
  skip_space(file_);
  const int byte = file_.peek();
  if (byte < 0) return false;
  line_ = file_.line();
  if (byte == '[') {
    enter(Place::Top);
    return true;
  }
  if (byte != '{') return fail("neither an object nor an array begins here");
  if (form_.kind == JsonForm::Kind::Item) return read(text);
  file_.take();
  has_items_ = false;
  place_ = form_.member.empty() ? Place::Tables : Place::Object;
  return true;
}

void JsonElements::enter(Place outer) {
  file_.take();
  outer_ = outer;
  place_ = Place::Array;
}

// Reads a member's name, and skips its colon.
bool JsonElements::name(std::string& text) {
  std::string quoted;
  if (file_.peek() != '"' || !take_value(file_, quoted)) return fail(kNoJson);
  Arena arena;
  const auto node = read_json(quoted, arena);
  if (!node) return fail(kNoJson);
  text = node->text();
  skip_space(file_);
  if (file_.take() != ':') return fail(kNoJson);
  skip_space(file_);
  return true;
}

// After '{' or a member of a top object: reads a member, or the object's end.
bool JsonElements::member() {
  skip_space(file_);
  if (file_.peek() == ',') file_.take();
  skip_space(file_);
  if (file_.peek() == '}') {
    file_.take();
    place_ = Place::Top;
    if (has_items_) return true;
    return fail(form_.kind == JsonForm::Kind::Answer ? std::string("an answer without Items")
                                                     : "an object without '" + form_.member + "'");
  }
  std::string found;
  if (!name(found)) return false;
  if (found != form_.member || file_.peek() != (form_.has_tables ? '{' : '['))
    return skip_member(found);
  has_items_ = true;
  if (!form_.has_tables) {
    enter(Place::Object);
    return true;
  }
  file_.take();
  place_ = Place::Tables;
  return true;
}

bool JsonElements::skip_member(const std::string& name) {
  std::string skipped;
  if (!read(skipped)) return false;
  const bool is_list =
      form_.kind == JsonForm::Kind::List && skipped.starts_with('[') && begins_list(skipped);
  return !is_list || fail("'" + name + "' is a list of objects beside '" + form_.member + "'");
}

// After '{' or a list of an object with a list for each table: moves into a list, or to the end.
bool JsonElements::table() {
  skip_space(file_);
  if (file_.peek() == ',') file_.take();
  skip_space(file_);
  if (file_.peek() == '}') {
    file_.take();
    place_ = form_.member.empty() ? Place::Top : Place::Object;
    return true;
  }
  std::string found;
  if (!name(found)) return false;
  if (file_.peek() != '[') return fail("'" + found + "' has no list of requests or items");
  if (!form_.table.empty() && found != form_.table) {
    std::string skipped;
    return read(skipped);
  }
  if (!table_.empty() && found != table_)
    return fail("it has items of several tables: '" + table_ + "' and '" + found + "'");
  table_ = std::move(found);
  enter(Place::Tables);
  return true;
}

// Reads an element. After the last one, leaves `text` empty and continues after the array.
bool JsonElements::element(std::string& text) {
  skip_space(file_);
  if (file_.peek() == ',') file_.take();
  skip_space(file_);
  line_ = file_.line();
  if (file_.peek() != ']') return read(text);
  file_.take();
  place_ = outer_;
  return true;
}

}  // namespace stator::data
