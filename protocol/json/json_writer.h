// JsonWriter: append-only writer of compact JSON into a string it does not own. It inserts commas;
// the caller must nest correctly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stator {

class JsonWriter {
 public:
  // Appends the document to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  // Writes the name of the next member, escaped like any string.
  void key(std::string_view name);

  void string(std::string_view text);  // REQUIRES: valid UTF-8
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();
  // Writes epoch time as the service prints it: seconds with up to three decimals, e.g.
  // 1763672400.123.
  void timestamp_ms(std::int64_t unix_ms);
  // Writes a double in shortest plain form: 0.5, 1.0, 128.5. Always has a point, as the service
  // prints capacity units.
  void decimal(double value);
  // Writes text that is JSON already, such as a rendered attribute value.
  void raw(std::string_view json);

  // Writes key and value.
  void member(std::string_view name, std::string_view text) { key(name), string(text); }
  void member(std::string_view name, const char* text) { key(name), string(text); }
  void member(std::string_view name, bool value) { key(name), boolean(value); }
  void member(std::string_view name, std::int64_t value) { key(name), integer(value); }

  // For fast paths that append whole values directly: call before_value() first.
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
