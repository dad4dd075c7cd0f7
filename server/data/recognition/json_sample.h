// A sample of a JSON object: its text with the first element of each array alone, so that a short
// text says what the object is, however long it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stator::data {

struct JsonSample {
  std::string text;  // JSON, also if the object was cut: then without what is not complete
  std::size_t size_bytes = 0;  // of the object's text
  bool is_whole = false;       // its end was seen
  bool is_broken = false;      // by a misplaced bracket, at `size_bytes`
  bool has_line_breaks = false;
};

// Takes the text of an object piece by piece. The sample is as long as the text at most. Brackets
// are checked, the rest is left to read_json().
class JsonSampler {
 public:
  // Returns whether more is wanted: not after the object's end or a misplaced bracket.
  bool take(std::string_view bytes);
  JsonSample finish() &&;

 private:
  bool take(char byte);
  bool take_of_string(char byte);
  bool open(char bracket);
  bool close(char bracket);
  void put(char byte) {
    if (skipped_depth_ == 0) sample_.text += byte;
  }
  // What is there so far is complete but for brackets.
  void mark() {
    if (skipped_depth_ == 0) complete_bytes_ = sample_.text.size();
  }

  JsonSample sample_;
  std::string brackets_;  // open ones
  char before_ = '\0';    // the last byte that is no space
  bool is_string_ = false;
  bool is_escaped_ = false;
  std::size_t skipped_depth_ = 0;  // brackets around skipped elements; 0: nothing is skipped
  std::size_t complete_bytes_ = 0;
};

}  // namespace stator::data
