#include "tests/unit/server/data/formats/text_source.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "server/data/packing/byte_source.h"

namespace stator::data {
namespace {

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_{std::move(text)} {}

  std::size_t read(char* out, std::size_t size, std::string&) override {
    const std::size_t count = std::min(size, text_.size() - read_);
    std::memcpy(out, text_.data() + read_, count);
    read_ += count;
    return count;
  }

 private:
  const std::string text_;
  std::size_t read_ = 0;
};

std::string attributes_text(const JsonNode& item) {
  std::string text;
  for (const JsonMember& member : item.members()) {
    text.append(text.empty() ? "" : " ").append(member.name).append("=");
    const bool is_typed =
        member.value.kind() == JsonNode::Kind::Object && member.value.members().size() == 1;
    const JsonNode* const value = is_typed ? &member.value.members().front().value : &member.value;
    if (value->kind() == JsonNode::Kind::String) {
      text += value->text();
    } else {
      append_node_json(text, *value);
    }
  }
  return text;
}

}  // namespace

std::string read_all(std::string text, const ReadOptions& options) {
  auto file = InputFile::of_source(std::make_unique<TextSource>(std::move(text)), "file");
  const auto reader = read_records(std::move(file), options);
  if (!reader) return reader.error();
  std::string all;
  Record record;
  while ((*reader)->next(record)) {
    all += all.empty() ? ": " : " / ";
    if (record.problem.empty()) {
      all.append(record.is_delete ? "-" : "").append(attributes_text(record.item));
    } else {
      all.append("[").append(record.problem).append("]");
    }
  }
  const std::string error = (*reader)->error();
  if (!error.empty()) all.append(" ! ").append(error);
  return std::string((*reader)->format_text()) + all;
}

}  // namespace stator::data
