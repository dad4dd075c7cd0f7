// Fuzzes the JSON reader. What it accepts must be writable, and reading that again must give the
// same tree.
#include "protocol/json/json_reader.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/json/json_writer.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

using Kind = JsonNode::Kind;

void require(bool condition) {
  if (!condition) std::abort();
}

void write_tree(JsonWriter& writer, const JsonNode& node) {
  switch (node.kind()) {
    case Kind::Null:
      writer.null();
      break;
    case Kind::False:
      writer.boolean(false);
      break;
    case Kind::True:
      writer.boolean(true);
      break;
    case Kind::Integer:
    case Kind::Decimal:
      writer.raw(node.text());
      break;
    case Kind::String:
      require(is_valid_utf8(node.text()));
      writer.string(node.text());
      break;
    case Kind::Array:
      writer.begin_array();
      for (const JsonNode& element : node.elements()) write_tree(writer, element);
      writer.end_array();
      break;
    case Kind::Object:
      writer.begin_object();
      for (const JsonMember& member : node.members()) {
        require(is_valid_utf8(member.name));
        writer.key(member.name);
        write_tree(writer, member.value);
      }
      writer.end_object();
      break;
  }
}

// `body` as the reader understands it, in its plainest form; empty when it is refused.
std::string normalised(std::string body) {
  const bool is_utf8 = is_valid_utf8(body);
  Arena arena;
  const auto node = read_json(body, arena);
  std::string out;
  if (!node) return out;
  require(is_utf8);
  JsonWriter writer(out);
  write_tree(writer, *node);
  return out;
}

}  // namespace
}  // namespace stator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const std::string once = stator::normalised(body);
  if (once.empty()) return 0;
  stator::require(stator::normalised(once) == once);
  // Nothing may stand behind a document, and blanks around it mean nothing.
  stator::require(stator::normalised("\n" + body + "\t ") == once);
  stator::require(stator::normalised(once + "]").empty());
  stator::require(stator::normalised(once + '\0').empty());
  return 0;
}
