#include "engine/storage/records/partial_value.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "protocol/expression/resolution/paths.h"
#include "protocol/number/number.h"

namespace stator::storage {
namespace {

constexpr std::size_t kCollectionBytes =
    3;                                  // billed for a list or map (protocol/values/item_size.h)
constexpr std::size_t kEntryBytes = 1;  // and for each of its elements

// ------------------------------------------------------------------------------------------------
// Measuring

// Sums up billed bytes and the depth of values.
class Measure {
 public:
  // REQUIRES: `depth` is the level of the values.
  void values(RecordReader& reader, std::size_t count, std::size_t depth) {
    if (count > 0) deepest_ = std::max(deepest_, depth);
    while (count > 0) {
      count -=
          alike_strings(reader, count, /*type_at=*/0, [](const char* /*begin*/) { return true; });
      if (count == 0) break;
      value(reader, depth);
      --count;
    }
  }

  // Measures at most `most` members of a map, and only names before `end`. Returns how many.
  std::size_t members(RecordReader& reader, std::size_t most, std::optional<std::string_view> end,
                      std::size_t depth) {
    std::size_t count = 0;
    while (true) {
      count += alike_members(reader, most - count, end);
      if (count == most) break;
      RecordReader ahead = reader;
      const std::string_view name = ahead.bytes();
      if (end && name >= *end) break;
      reader = ahead;
      size_bytes_ += name.size();
      value(reader, depth);
      ++count;
    }
    if (count > 0) deepest_ = std::max(deepest_, depth);
    return count;
  }

  std::size_t size_bytes() const { return size_bytes_; }
  // Number of levels, where `depth` is the first.
  std::size_t levels(std::size_t depth) const {
    return deepest_ < depth ? 1 : deepest_ - depth + 1;
  }

 private:
  // Most elements of long lists have the length of the one before. Expecting that, instead of
  // decoding each, is several times faster. `type_at` bytes precede each string's type;
  // `goes_on(begin)` checks them. Returns how many strings were alike.
  template <class GoesOn>
  std::size_t alike_strings(RecordReader& reader, std::size_t count, std::size_t type_at,
                            GoesOn goes_on) {
    const std::string_view rest = reader.rest();
    if (rest.size() < type_at + sizeof(std::uint16_t)) return 0;
    const auto head = load_le<std::uint16_t>(rest.data() + type_at);
    const std::size_t length = head >> 8;
    if ((head & 0xFF) != static_cast<std::uint8_t>(TypeCode::S) || length >= 0x80) return 0;
    const std::size_t step = type_at + sizeof head + length;
    const std::size_t most = std::min(count, rest.size() / step);
    const char* next = rest.data();
    std::size_t met = 0;
    while (met < most && load_le<std::uint16_t>(next + type_at) == head && goes_on(next)) {
      next += step;
      ++met;
    }
    reader.go_on_at(next);
    size_bytes_ += met * length;
    return met;
  }

  // Does the same for most members of large maps, names and values.
  std::size_t alike_members(RecordReader& reader, std::size_t count,
                            std::optional<std::string_view> end) {
    if (reader.at_end()) return 0;
    const char name_length = reader.rest().front();
    const auto name_bytes = static_cast<std::size_t>(static_cast<unsigned char>(name_length));
    if (name_bytes >= 0x80) return 0;
    const std::size_t met = alike_strings(reader, count, 1 + name_bytes, [&](const char* begin) {
      return *begin == name_length && (!end || std::string_view(begin + 1, name_bytes) < *end);
    });
    size_bytes_ += met * name_bytes;
    return met;
  }

  void value(RecordReader& reader, std::size_t depth) {
    deepest_ = std::max(deepest_, depth);
    const Type type = reader.type();
    switch (type) {
      case Type::S:
      case Type::B:
        size_bytes_ += reader.bytes().size();
        return;
      case Type::N:
        size_bytes_ += number_size_bytes(reader.number());
        return;
      case Type::Bool:
        reader.truth();
        size_bytes_ += 1;
        return;
      case Type::Null:
        size_bytes_ += 1;
        return;
      case Type::SS:
      case Type::NS:
      case Type::BS:
        return set(reader, type);
      case Type::L: {
        reader.length();
        const std::size_t count = reader.count();
        size_bytes_ += kCollectionBytes + count * kEntryBytes;
        return values(reader, count, below(depth));
      }
      case Type::M:
        return map(reader, below(depth));
    }
  }

  void set(RecordReader& reader, Type type) {
    reader.length();
    for (std::size_t left = reader.count(); left > 0; --left)
      size_bytes_ += type == Type::NS ? number_size_bytes(reader.number()) : reader.bytes().size();
  }

  void map(RecordReader& reader, std::size_t depth) {
    reader.length();
    const std::size_t count = reader.count();
    size_bytes_ += kCollectionBytes + count * kEntryBytes;
    members(reader, count, /*end=*/std::nullopt, depth);
  }

  std::size_t size_bytes_ = 0;
  std::size_t deepest_ = 0;
};

// ------------------------------------------------------------------------------------------------
// Opening

using Paths = std::span<const expr::Path>;

class Opener {
 public:
  Opener(Arena& arena, std::size_t bytes_min) : arena_(arena), bytes_min_(bytes_min) {}

  // REQUIRES: `paths` are sorted and start with the steps to the value, as many as its level.
  Value value(RecordReader& reader, Paths paths, std::size_t depth) {
    RecordReader ahead = reader;
    const Type type = ahead.type();
    const bool is_document = type == Type::L || type == Type::M;
    if (!is_document || ahead.length() < bytes_min_) return read_value(reader, arena_, depth);
    reader.type();
    reader.length();
    while (!paths.empty() && paths.front().size() == depth) paths = paths.subspan(1);
    return type == Type::L ? list(reader, paths, depth) : map(reader, paths, depth);
  }

  std::size_t run_bytes() const { return run_bytes_; }

 private:
  // Takes the leading paths with the same step as the first.
  static Paths take_group(Paths& paths, std::size_t step) {
    std::size_t count = 1;
    while (count < paths.size() && expr::is_same_step(paths[0][step], paths[count][step])) ++count;
    const Paths group = paths.first(count);
    paths = paths.subspan(count);
    return group;
  }

  Value list(RecordReader& reader, Paths paths, std::size_t depth) {
    const std::size_t inside = below(depth);
    const std::size_t count = reader.count();
    while (!paths.empty() && !paths.front()[depth].is_index) paths = paths.subspan(1);
    const auto pieces = arena_.allocate_array<Value>(std::min(count, 2 * paths.size() + 1));
    std::size_t piece_count = 0;
    std::size_t at = 0;
    const auto add = [&](const Value& piece) { new (&pieces[piece_count++]) Value(piece); };
    const auto go_to = [&](std::size_t index) {
      if (index == at) return;
      add(run_of(read_run(reader, index - at, inside)));
      at = index;
    };
    while (!paths.empty() && paths.front()[depth].index < count) {
      go_to(static_cast<std::size_t>(paths.front()[depth].index));
      add(value(reader, take_group(paths, depth), inside));
      ++at;
    }
    go_to(count);
    return Value::list(pieces.first(piece_count), /*holds_runs=*/true);
  }

  Value map(RecordReader& reader, Paths paths, std::size_t depth) {
    const std::size_t inside = below(depth);
    const std::size_t count = reader.count();
    const auto pieces = arena_.allocate_array<Member>(std::min(count, 2 * paths.size() + 1));
    std::size_t piece_count = 0;
    std::size_t left = count;
    const auto add = [&](std::string_view name, const Value& piece) {
      new (&pieces[piece_count++]) Member{name, piece};
    };
    const auto go_to = [&](std::optional<std::string_view> name) {
      if (left == 0) return;
      const std::string_view first = next_name(reader);
      const ElementRun run = read_member_run(reader, left, name, inside);
      if (run.count > 0) add(first, run_of(run));
      left -= run.count;
    };
    while (!paths.empty() && !paths.front()[depth].is_index) {
      const Paths group = take_group(paths, depth);
      const std::string_view name = group.front()[depth].name;
      go_to(name);
      if (left == 0 || next_name(reader) != name) continue;
      reader.bytes();
      add(name, value(reader, group, inside));
      --left;
    }
    go_to(std::nullopt);
    return Value::map(pieces.first(piece_count), /*holds_runs=*/true);
  }

  static std::string_view next_name(RecordReader ahead) { return ahead.bytes(); }

  Value run_of(const ElementRun& run) {
    run_bytes_ += run.encoded.size();
    return Value::run(*arena_.make<ElementRun>(run));
  }

  Arena& arena_;
  const std::size_t bytes_min_;
  std::size_t run_bytes_ = 0;
};

}  // namespace

ElementRun read_run(RecordReader& reader, std::size_t count, std::size_t depth) {
  const char* const begin = reader.rest().data();
  Measure measure;
  measure.values(reader, count, depth);
  return {{begin, reader.rest().data()}, count, measure.size_bytes(), measure.levels(depth)};
}

ElementRun read_member_run(RecordReader& reader, std::size_t most,
                           std::optional<std::string_view> end, std::size_t depth) {
  const char* const begin = reader.rest().data();
  Measure measure;
  const std::size_t count = measure.members(reader, most, end, depth);
  return {{begin, reader.rest().data()}, count, measure.size_bytes(), measure.levels(depth)};
}

PartialValue read_opened(RecordReader& reader, std::string_view name, Paths paths, Arena& arena,
                         std::size_t bytes_min) {
  RecordReader ahead = reader;
  const Type type = ahead.type();
  const bool is_document = type == Type::L || type == Type::M;
  if (!is_document || ahead.length() < bytes_min) return {read_value(reader, arena)};
  const auto begin = std::lower_bound(
      paths.begin(), paths.end(), name,
      [](expr::Path path, std::string_view wanted) { return path.front().name < wanted; });
  const auto end = std::find_if(begin, paths.end(),
                                [name](expr::Path path) { return path.front().name != name; });
  Opener opener(arena, bytes_min);
  const Value value = opener.value(reader, {begin, end}, /*depth=*/1);
  return {value, opener.run_bytes()};
}

}  // namespace stator::storage
