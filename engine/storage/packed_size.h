// Packed size: what a record counts towards the 1 MB of a page.
//
// The service cuts a page not by billed sizes but by those of an internal form, which is not
// public. The rule here was fitted by others to pages of the live service: names cost one byte,
// values what they hold and a few bytes more, and every started 3 KB of an item repeats its sort
// key. It gives the recorded pages to the byte (conformance/observed/paging.md 2).
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/number.h"
#include "protocol/value.h"

namespace stator::storage {

// What the values of a record add up to, told one by one by whoever walks it.
class PackedValues {
 public:
  // S, N or B, which are not elements of a set.
  void scalar(Type type, std::string_view bytes) {
    bytes_ += scalar_bytes(type, bytes) + (type == Type::S ? string_length_bytes(bytes.size()) : 1);
  }
  void truth() { bytes_ += 1; }
  // A set before its elements, each of which counts one byte more than it holds.
  void set(std::size_t count) { bytes_ += count + 1; }
  void set_element(Type type, std::string_view bytes) { bytes_ += scalar_bytes(type, bytes); }
  // A list or a map before its elements, which count one byte or two more than they take.
  void list(std::size_t count) { bytes_ += kContainerBytes + count; }
  void map(std::size_t count) { bytes_ += kContainerBytes + 2 * count; }

  std::size_t bytes() const { return bytes_; }

  // A number's size is a matter of its length, first and last byte: any bytes have one.
  static std::size_t scalar_bytes(Type type, std::string_view bytes) {
    return type == Type::N && !bytes.empty() ? number_size_bytes(bytes) : bytes.size();
  }

 private:
  static constexpr std::size_t kContainerBytes = 3;
  static std::size_t string_length_bytes(std::size_t size_bytes) {
    return size_bytes < 128 ? 1 : size_bytes < 16384 ? 2 : 3;
  }

  std::size_t bytes_ = 0;
};

// The whole, from `attributes` other than the sort key, what their values add up to, and the bytes
// that the sort key holds.
std::size_t packed_item_bytes(std::size_t attributes, std::size_t values_bytes,
                              std::size_t sort_key_bytes);

// `sort_key` names the attribute that is the table's sort key; empty without one.
std::size_t packed_size_bytes(std::string_view record, std::string_view sort_key);

}  // namespace stator::storage
