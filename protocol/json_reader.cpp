// RapidJSON's in-situ SAX reader building JsonNodes, and what RapidJSON leaves open.
//
// RapidJSON's UTF-8 validation would look at every character by itself, so the body is validated
// before. Strings are scanned, and escapes of a lone surrogate are found, by the stream and the
// encoding that RapidJSON is given (protocol/json_stream.h). Numbers that do not fit a double make
// it stop although they are well-formed and the service reads them; the walk over the open
// containers then goes on by hand from that place (ResumedParse), handing every string and inner
// value to RapidJSON again.
#include "protocol/json_reader.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "protocol/json_stream.h"
#include "protocol/memory_block.h"
#include "protocol/utf8.h"

namespace stator {
namespace {

// Collects the children of the open containers in one stack of bytes; a container that closes moves
// its children to the arena and leaves one node. Small documents stay in the object itself, on the
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

  // Events of RapidJSON, by its names; false stops it.
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
  // A text of that size has its stack's memory at once: growing moves pages, and those of a mapping
  // that moves are small ones. What is not written takes no memory.
  static constexpr std::size_t kLargeTextBytes = std::size_t{4} * 1024 * 1024;
  static constexpr std::size_t kHeapBytesMinMax = std::size_t{16} * 1024 * 1024;
  // Children that are handed over instead of copied. More than the object itself has room for.
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

  // Whether this number or boolean of a long array is one too many behind another. No request has a
  // place for an array of them: it is refused for the first, or nobody looks at it; so the others
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

  // Most containers have one child, for which a call takes longer than the copying.
  template <class T>
  static void copy_children(std::byte* to, const std::byte* from, std::size_t size_bytes) {
    if (size_bytes == sizeof(T)) [[likely]] {
      std::memcpy(to, from, sizeof(T));
    } else {
      std::memcpy(to, from, size_bytes);
    }
  }

  // The children stay where they are, in memory that is the arena's from now on; what lies before
  // them, which is less, is what is copied. Rare, and kept out of what runs for every container.
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

  // A finished value: the document, the next element, or the value of the member whose name came
  // last.
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

// Takes one string and nothing else.
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

// Goes on behind a number that RapidJSON refuses as too large for a double. The state of the parse
// is all in the builder: which containers are open, and whether a member's name waits for its
// value.
class ResumedParse {
 public:
  // `stream` stands where that number begins.
  ResumedParse(Reader& reader, TreeBuilder& builder, BodyStream& stream)
      : reader_(reader), builder_(builder), stream_(stream) {}

  // Reads on to the end of the document, behind which it stops.
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

std::optional<JsonNode> read_json(std::string& body, Arena& arena) {
  if (!is_valid_utf8(body)) return std::nullopt;
  body.reserve(body.size() + kJsonSpareBytes);  // the scan of strings reads so far beyond the end

  TreeBuilder builder(arena, body.size());
  Reader reader;
  BodyStream stream(body.data());
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.Code() == rapidjson::kParseErrorNumberTooBig) {
    stream.go_to(result.Offset());
    if (!ResumedParse(reader, builder, stream).run()) return std::nullopt;
  } else if (result.IsError()) {
    return std::nullopt;
  }
  // A NUL byte ends the text for RapidJSON, wherever it stands.
  if (stream.is_refused() || stream.Tell() != body.size()) return std::nullopt;
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
