// RapidJSON's in-situ SAX reader building JsonNodes, and the checks that RapidJSON lacks.
//
// RapidJSON's UTF-8 validation reads every character by itself, so the body is validated
// beforehand. The stream and the encoding given to RapidJSON scan strings and detect lone
// surrogates (protocol/json/json_stream.h). RapidJSON stops at numbers that do not fit a double,
// although they are well-formed and the service reads them; ResumedParse then continues from there
// through the open containers and calls RapidJSON again for every string and inner value.
#include "protocol/json/json_reader.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "protocol/json/json_stream.h"
#include "protocol/memory/memory_block.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

// Collects the children of the open containers in one stack of bytes. A container that closes moves
// its children to the arena and leaves one node. Small documents fit in the object itself, on the
// caller's stack.
class TreeBuilder {
 public:
  using Ch = char;

  TreeBuilder(Arena& arena, std::size_t text_bytes)
      : arena_(arena),
        heap_bytes_min_(text_bytes < kLargeTextBytes ? 0 : std::min(text_bytes, kHeapBytesMinMax)) {
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  // RapidJSON's events, under its names; returning false stops it.
  // NOLINTBEGIN(readability-identifier-naming)
  bool Null() { return add(JsonNode()); }
  bool Bool(bool truth) {
    if (is_long_run()) return true;
    return add(JsonNode::scalar(truth ? JsonNode::Kind::True : JsonNode::Kind::False));
  }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (is_long_run()) return true;
    const std::string_view number(text, size);
    const bool is_decimal = number.find_first_of(".eE") != std::string_view::npos;
    return add(
        JsonNode::scalar(is_decimal ? JsonNode::Kind::Decimal : JsonNode::Kind::Integer, number));
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return add(JsonNode::scalar(JsonNode::Kind::String, {text, size}));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    push(JsonMember{{text, size}, JsonNode()});
    return true;
  }
  bool StartObject() { return open(/*is_object=*/true); }
  bool StartArray() { return open(/*is_object=*/false); }
  [[gnu::always_inline]] bool EndObject(rapidjson::SizeType /*count*/) {
    return add(JsonNode::object(close<JsonMember>()));
  }
  bool EndArray(rapidjson::SizeType /*count*/) { return add(JsonNode::array(close<JsonNode>())); }
  // Never called: numbers arrive as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  // NOLINTEND(readability-identifier-naming)

  std::size_t depth() const { return depth_; }
  bool in_object() const { return is_object_; }
  const JsonNode& root() const { return root_; }

 private:
  static constexpr std::size_t kInlineBytes = 4096;
  static constexpr std::uint32_t kLongArrayBytes = 64 * 1024;
  // From this size on, a text gets its full stack at once. Growing would move pages, and a mapping
  // that moves has only small pages. Memory that is never written costs nothing.
  static constexpr std::size_t kLargeTextBytes = std::size_t{4} * 1024 * 1024;
  static constexpr std::size_t kHeapBytesMinMax = std::size_t{16} * 1024 * 1024;
  // From this size on, children are handed over instead of copied. Above the object's own capacity.
  static constexpr std::size_t kLargeBytes = 1024 * 1024;

  struct Container {
    std::uint32_t first;  // offset of its first child
    bool is_object;
  };

  bool open(bool is_object) {
    if (depth_ == kJsonDepthMax) return false;
    containers_[depth_++] = {size_, is_object};
    is_object_ = is_object;
    return true;
  }

  // Whether to skip this number or boolean because it follows another in a long array. No request
  // accepts an array of them: it is rejected for the first one or ignored as a whole, so the others
  // need no memory.
  bool is_long_run() const {
    if (is_object_ || depth_ == 0) return false;
    const std::uint32_t first = containers_[depth_ - 1].first;
    if (size_ - first < kLongArrayBytes) [[likely]]
      return false;
    JsonNode last;
    std::memcpy(&last, data_ + size_ - sizeof last, sizeof last);
    return last.kind() != JsonNode::Kind::Null && last.kind() < JsonNode::Kind::String;
  }

  template <class T>
  std::span<const T> close() {
    const std::uint32_t first = containers_[--depth_].first;
    is_object_ = depth_ > 0 && containers_[depth_ - 1].is_object;
    const std::size_t size_bytes = size_ - first;
    if (size_bytes == 0) return {};
    if (size_bytes >= kLargeBytes && size_bytes >= first) return hand_over<T>(first);
    const auto children = arena_.allocate_array<T>(size_bytes / sizeof(T));
    copy_children<T>(reinterpret_cast<std::byte*>(children.data()), data_ + first, size_bytes);
    size_ = first;
    return children;
  }

  // Most containers have one child; copying it inline is faster than a call.
  template <class T>
  static void copy_children(std::byte* to, const std::byte* from, std::size_t size_bytes) {
    if (size_bytes == sizeof(T)) [[likely]] {
      std::memcpy(to, from, sizeof(T));
    } else {
      std::memcpy(to, from, size_bytes);
    }
  }

  // The children stay in place and the arena takes over their memory; the data before them, which
  // is smaller, is copied out. Rare, so not inlined into the path of every container.
  template <class T>
  [[gnu::noinline]] std::span<const T> hand_over(std::uint32_t first) {
    const std::size_t count = (size_ - first) / sizeof(T);
    MemoryBlock block = std::move(heap_);
    block.resize(size_);
    heap_ = MemoryBlock();
    data_ = inline_;
    capacity_ = kInlineBytes;
    while (capacity_ < first) capacity_ *= 2;
    if (capacity_ > kInlineBytes) {
      heap_.resize(capacity_);
      data_ = heap_.data();
    }
    std::memcpy(data_, block.data(), first);
    size_ = first;
    const auto* const children = reinterpret_cast<const T*>(block.data() + first);
    arena_.adopt(std::move(block));
    return {children, count};
  }

  // Adds a finished value: the document, the next element, or the value of the member whose name
  // came last.
  bool add(const JsonNode& node) {
    if (depth_ == 0) {
      root_ = node;
    } else if (is_object_) {
      std::memcpy(data_ + size_ - sizeof(JsonMember) + offsetof(JsonMember, value), &node,
                  sizeof node);
    } else {
      push(node);
    }
    return true;
  }

  template <class T>
  void push(const T& child) {
    if (capacity_ - size_ < sizeof(T)) grow();
    std::memcpy(data_ + size_, &child, sizeof(T));
    size_ += static_cast<std::uint32_t>(sizeof(T));
  }

  [[gnu::noinline]] void grow() {
    const auto capacity = static_cast<std::uint32_t>(
        std::max(static_cast<std::size_t>(capacity_ * 2), heap_bytes_min_));
    assert(capacity > capacity_);
    heap_.resize(capacity);
    if (data_ == inline_) std::memcpy(heap_.data(), inline_, size_);
    data_ = heap_.data();
    capacity_ = capacity;
  }

  Arena& arena_;
  const std::size_t heap_bytes_min_;
  bool is_object_ = false;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInlineBytes;
  std::size_t depth_ = 0;
  JsonNode root_;
  MemoryBlock heap_;
  alignas(JsonMember) std::byte inline_[kInlineBytes];
  std::byte* data_ = inline_;
  std::array<Container, kJsonDepthMax> containers_;
};

// Accepts one string and nothing else.
struct StringHandler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, StringHandler> {
  bool Default() { return false; }
  bool String(const char* data, rapidjson::SizeType size, bool /*copy*/) {
    text = {data, size};
    return true;
  }
  std::string_view text;
};

constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
constexpr unsigned kValueFlags = kFlags | rapidjson::kParseStopWhenDoneFlag;

using json::BodyStream;
using Reader = rapidjson::GenericReader<json::BodyEncoding, rapidjson::UTF8<>>;

// Continues after a number that RapidJSON rejects as too large for a double. The builder has the
// whole state of the parse: the open containers, and whether a member's name waits for its value.
class ResumedParse {
 public:
  // `stream` is at the start of that number.
  ResumedParse(Reader& reader, TreeBuilder& builder, BodyStream& stream)
      : reader_(reader), builder_(builder), stream_(stream) {}

  // Reads to the end of the document and stops after it.
  bool run() {
    if (!take_number()) return false;
    while (true) {
      stream_.skip_space();
      if (builder_.depth() == 0) return true;
      const bool in_object = builder_.in_object();
      const char c = stream_.Take();
      if (c == ',') {
        if (in_object && !take_key()) return false;
        if (!take_value()) return false;
      } else if (c == '}' && in_object) {
        builder_.EndObject(0);
      } else if (c == ']' && !in_object) {
        builder_.EndArray(0);
      } else {
        return false;
      }
    }
  }

 private:
  bool take(char wanted) {
    if (stream_.Peek() != wanted) return false;
    stream_.Take();
    return true;
  }
  bool take_digits() {
    const char* const start = stream_.place();
    while (stream_.Peek() >= '0' && stream_.Peek() <= '9') stream_.Take();
    return stream_.place() != start;
  }

  bool take_number() {
    const char* const start = stream_.place();
    take('-');
    if (!take('0') && !take_digits()) return false;
    if (take('.') && !take_digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!take_digits()) return false;
    }
    const auto size = static_cast<rapidjson::SizeType>(stream_.place() - start);
    return builder_.RawNumber(start, size, false);
  }

  bool take_key() {
    stream_.skip_space();
    if (stream_.Peek() != '"') return false;
    StringHandler key;
    if (reader_.Parse<kValueFlags>(stream_, key).IsError()) return false;
    stream_.skip_space();
    if (!take(':')) return false;
    return builder_.Key(key.text.data(), static_cast<rapidjson::SizeType>(key.text.size()), false);
  }

  bool take_value() {
    const rapidjson::ParseResult result = reader_.Parse<kValueFlags>(stream_, builder_);
    if (result.Code() != rapidjson::kParseErrorNumberTooBig) return !result.IsError();
    stream_.go_to(result.Offset());
    return take_number();
  }

  Reader& reader_;
  TreeBuilder& builder_;
  BodyStream& stream_;
};

}  // namespace

std::optional<JsonNode> read_json(std::string& body, Arena& arena, std::size_t* error_at) {
  const auto give_up = [error_at](std::size_t offset) {
    if (error_at != nullptr) *error_at = offset;
    return std::nullopt;
  };
  if (!is_valid_utf8(body)) return give_up(0);
  body.reserve(body.size() + kJsonSpareBytes);  // the scan of strings reads this far beyond the end

  TreeBuilder builder(arena, body.size());
  Reader reader;
  BodyStream stream(body.data());
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.Code() == rapidjson::kParseErrorNumberTooBig) {
    stream.go_to(result.Offset());
    if (!ResumedParse(reader, builder, stream).run()) return give_up(stream.Tell());
  } else if (result.IsError()) {
    return give_up(result.Offset());
  }
  // RapidJSON ends at any NUL byte, so this checks that it reached the end.
  if (stream.is_refused() || stream.Tell() != body.size()) return give_up(stream.Tell());
  return builder.root();
}

bool is_deeper_than(const JsonNode& node, std::size_t levels) {
  if (node.kind() != JsonNode::Kind::Array && node.kind() != JsonNode::Kind::Object) return false;
  if (levels == 0) return true;
  const auto goes_deeper = [&](const JsonNode& child) { return is_deeper_than(child, levels - 1); };
  if (node.kind() == JsonNode::Kind::Array) {
    return std::any_of(node.elements().begin(), node.elements().end(), goes_deeper);
  }
  return std::any_of(node.members().begin(), node.members().end(),
                     [&](const JsonMember& member) { return goes_deeper(member.value); });
}

}  // namespace stator
