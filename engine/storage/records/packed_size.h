// Packed size: what a record counts towards the 1 MB of a page.
//
// The service limits a page not by billed sizes but by sizes of an internal form, which is not
// public. Others fitted the rule here to pages of the live service: names cost one byte, values
// their bytes and a few more, and every started 3 KB of an item repeats its sort key. It reproduces
// the recorded pages to the byte (conformance/observed/paging.md 2).
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/number/number.h"
#include "protocol/values/value.h"

namespace stator::storage {

// Adds up the values of a record; the code that walks the record calls it for each value.
class PackedValues {
 public:
  // Adds an S, N or B that is not an element of a set.
  void scalar(Type type, std::string_view bytes) {
    bytes_ += scalar_bytes(type, bytes) + (type == Type::S ? string_length_bytes(bytes.size()) : 1);
  }
  void truth() { bytes_ += 1; }
  // Adds a set before its elements, each of which counts one byte more than it holds.
  void set(std::size_t count) { bytes_ += count + 1; }
  void set_element(Type type, std::string_view bytes) { bytes_ += scalar_bytes(type, bytes); }
  // Adds a list or a map before its elements, which count one or two bytes more than they hold.
  void list(std::size_t count) { bytes_ += kContainerBytes + count; }
  void map(std::size_t count) { bytes_ += kContainerBytes + 2 * count; }

  std::size_t bytes() const { return bytes_; }

  // A number's size depends on its length, first and last byte, so it is defined for any bytes.
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

// Packed size of an item with `attributes` attributes besides the sort key. `values_bytes` is the
// sum of their values, `sort_key_bytes` the size of the sort key.
std::size_t packed_item_bytes(std::size_t attributes, std::size_t values_bytes,
                              std::size_t sort_key_bytes);

// `sort_key` is the name of the table's sort key; empty if none.
std::size_t packed_size_bytes(std::string_view record, std::string_view sort_key);

}  // namespace stator::storage
