// JsonElements: the items of a file of JSON as texts, one after another, wherever they are in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/data/formats/input_file.h"
#include "server/data/recognition/json_form.h"

namespace stator::data {

// Skips white space, and a byte order mark at the beginning of the file.
void skip_space(InputFile& file);

// The elements of the arrays at the top, and of objects at the top what `form` says. Holds one
// element at a time.
class JsonElements {
 public:
  // `file` must outlive this.
  JsonElements(InputFile& file, JsonForm form) : file_{file}, form_{std::move(form)} {}

  // The next element; none at the end and on an error.
  std::optional<std::string> next();

  // Where that element begins.
  std::uint64_t line() const { return line_; }
  // The error of the text; that of the file is the file's.
  const std::string& error() const { return error_; }

 private:
  enum class Place : std::uint8_t { Top, Object, Tables, Array };

  bool fail(std::string_view what);
  bool read(std::string& text);
  bool top(std::string& text);
  bool member();
  bool skip_member(const std::string& name);
  bool table();
  bool element(std::string& text);
  bool name(std::string& text);
  void enter(Place outer);

  InputFile& file_;
  const JsonForm form_;
  Place place_ = Place::Top;
  Place outer_ = Place::Top;  // around the array
  bool has_items_ = false;    // the top object
  std::string table_;         // of the last list of a table
  std::uint64_t line_ = 0;
  std::string error_;
};

}  // namespace stator::data
