#include "server/data/recognition/json_sample.h"

#include <utility>

namespace stator::data {

namespace {

char partner_of(char bracket) { return bracket == '{' ? '}' : ']'; }

}  // namespace

bool JsonSampler::take(std::string_view bytes) {
  for (const char byte : bytes) {
    ++sample_.size_bytes;
    if (is_string_ ? take_of_string(byte) : take(byte)) continue;
    sample_.is_broken = !sample_.is_whole;
    return false;
  }
  return true;
}

JsonSample JsonSampler::finish() && {
  if (sample_.is_whole) return std::move(sample_);
  sample_.text.resize(complete_bytes_);
  const std::size_t depth = skipped_depth_ != 0 ? skipped_depth_ : brackets_.size();
  for (std::size_t i = depth; i-- > 0;) sample_.text += partner_of(brackets_[i]);
  return std::move(sample_);
}

bool JsonSampler::take_of_string(char byte) {
  put(byte);
  is_string_ = is_escaped_ || byte != '"';
  is_escaped_ = !is_escaped_ && byte == '\\';
  return true;
}

bool JsonSampler::take(char byte) {
  if (byte == '\n') sample_.has_line_breaks = true;
  if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') return true;
  if (byte == '{' || byte == '[') return open(byte);
  if (byte == '}' || byte == ']') return close(byte);
  if (byte == ',') {
    mark();
    const bool is_of_array = !brackets_.empty() && brackets_.back() == '[';
    if (is_of_array && skipped_depth_ == 0) skipped_depth_ = brackets_.size();
  }
  put(byte);
  is_string_ = byte == '"';
  before_ = byte;
  return true;
}

bool JsonSampler::open(char bracket) {
  const bool is_of_object = !brackets_.empty() && brackets_.back() == '{';
  const bool is_value = is_of_object ? before_ == ':' : before_ == '[' || before_ == ',';
  if (!brackets_.empty() && !is_value) return false;
  put(bracket);
  brackets_ += bracket;
  before_ = bracket;
  mark();
  return true;
}

bool JsonSampler::close(char bracket) {
  if (brackets_.empty() || partner_of(brackets_.back()) != bracket) return false;
  if (skipped_depth_ == brackets_.size()) skipped_depth_ = 0;
  put(bracket);
  brackets_.pop_back();
  before_ = bracket;
  mark();
  sample_.is_whole = brackets_.empty();
  return !sample_.is_whole;
}

}  // namespace stator::data
