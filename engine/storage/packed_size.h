// Packed size: what a record counts towards the 1 MB of a page.
//
// The service cuts a page not by billed sizes but by those of an internal form, which is not
// public. The rule here was fitted by others to pages of the live service: names cost one byte,
// values what they hold and a few bytes more, and every started 3 KB of an item repeats its sort
// key. It gives the recorded pages to the byte (conformance/observed/paging.md 2).
#pragma once

#include <cstddef>
#include <string_view>

namespace stator::storage {

// `sort_key` names the attribute that is the table's sort key; empty without one.
std::size_t packed_size_bytes(std::string_view record, std::string_view sort_key);

}  // namespace stator::storage
