// JsonWriter: append-only writer of compact JSON into a string it does not own. It keeps the commas
// right; the caller keeps the nesting right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stator {

class JsonWriter {
 public:
  // `out` must outlive the writer; the document is appended to it.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  // Name of the next member. `name` is escaped like any string.
  void key(std::string_view name);

  void string(std::string_view text);  // escapes; invalid UTF-8 must not be passed
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();
  // Epoch time as the service prints it: seconds with up to three decimals, e.g. 1763672400.123.
  void timestamp_ms(std::int64_t unix_ms);
  // A double in shortest plain form: 0.5, 1.0, 128.5 (always with a point, as capacity units are
  // printed).
  void decimal(double value);
  // Text that is JSON already, such as a rendered attribute value.
  void raw(std::string_view json);

  // key + value in one call.
  void member(std::string_view name, std::string_view text) { key(name), string(text); }
  void member(std::string_view name, const char* text) { key(name), string(text); }
  void member(std::string_view name, bool value) { key(name), boolean(value); }
  void member(std::string_view name, std::int64_t value) { key(name), integer(value); }

  // Direct access for fast paths that append whole values: call before_value() first.
  std::string& out() { return out_; }
  void before_value() {
    if (needs_comma_) out_.push_back(',');
    needs_comma_ = true;
  }

 private:
  void open(char bracket) {
    before_value();
    out_.push_back(bracket);
    needs_comma_ = false;
  }
  void close(char bracket) {
    out_.push_back(bracket);
    needs_comma_ = true;
  }

  std::string& out_;
  bool needs_comma_ = false;
};

// Appends `text` as a quoted JSON string.
void append_json_string(std::string& out, std::string_view text);

}  // namespace stator
