#include "engine/storage/records/partial_item.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "engine/storage/records/partial_value.h"
#include "engine/storage/records/record_layout.h"

namespace stator::storage {
namespace {

// Writes into memory of exactly the right size.
class Copier {
 public:
  explicit Copier(std::span<char> room) : room_(room) {}

  void copy(std::string_view bytes) {
    assert(bytes.size() <= room_.size());
    if (bytes.empty()) return;
    std::memcpy(room_.data(), bytes.data(), bytes.size());
    room_ = room_.subspan(bytes.size());
  }
  bool is_full() const { return room_.empty(); }

 private:
  std::span<char> room_;
};

}  // namespace

PartialItem::PartialItem(std::string_view record, std::span<const std::string_view> names,
                         Paths paths, Arena& arena)
    : record_(record), names_(names) {
  RecordReader reader = attributes_of(record);
  const auto offset = [&] { return record.size() - reader.rest().size(); };
  attribute_count_ = reader.count();
  attributes_begin_ = offset();
  places_ = arena.allocate_array<Place>(names.size());
  const auto found = arena.allocate_array<Member>(std::min(names.size(), attribute_count_));
  std::size_t found_count = 0;
  std::size_t next = 0;  // index of the next name; earlier ones have their places
  // After the last of the names no attribute matters.
  for (std::size_t left = attribute_count_; left > 0 && next < names.size(); --left) {
    const std::size_t begin = offset();
    const std::string_view met = reader.bytes();
    int order = -1;
    while (next < names.size() && (order = names[next].compare(met)) < 0)
      places_[next++] = {begin, begin};
    if (order == 0) {
      const PartialValue opened =
          paths ? read_opened(reader, met, *paths, arena) : PartialValue{read_value(reader, arena)};
      new (&found[found_count++]) Member{met, opened.value};
      run_bytes_ += opened.run_bytes;
      places_[next++] = {begin, offset()};
    } else {
      reader.skip_payload(reader.type());
    }
  }
  std::fill(places_.begin() + static_cast<std::ptrdiff_t>(next), places_.end(),
            Place{record.size(), record.size()});
  attributes_ = found.first(found_count);
  kept_bytes_ = record.size() - attributes_begin_;
  for (const Place& place : places_) kept_bytes_ -= place.end - place.begin;
}

std::string_view PartialItem::joined(Item attributes, std::size_t size_bytes, const Stamp& written,
                                     std::string& scratch, Arena& arena) const {
  // Writes the new parts first, because their length is unknown: the header, then the attributes.
  scratch.clear();
  ByteWriter writer(scratch);
  assert(size_bytes <= UINT32_MAX);
  write_record_header(writer, static_cast<std::uint32_t>(size_bytes), written);
  writer.varint(attribute_count_ - attributes_.size() + attributes.size());
  const auto ends = arena.allocate_array<std::size_t>(attributes.size() + 1);
  ends[0] = scratch.size();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    writer.bytes(attributes[i].name);
    encode_value(attributes[i].value, writer);
    ends[i + 1] = scratch.size();
  }

  const std::span<char> record = arena.allocate_array<char>(scratch.size() + kept_bytes_);
  Copier out(record);
  const std::string_view made(scratch);
  out.copy(made.substr(0, ends[0]));
  std::size_t copied_to = attributes_begin_;
  std::size_t put = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    out.copy(record_.substr(copied_to, places_[i].begin - copied_to));
    copied_to = places_[i].end;
    if (put == attributes.size() || attributes[put].name != names_[i]) continue;
    out.copy(made.substr(ends[put], ends[put + 1] - ends[put]));
    ++put;
  }
  out.copy(record_.substr(copied_to));
  assert(put == attributes.size() && out.is_full());
  return {record.data(), record.size()};
}

}  // namespace stator::storage
