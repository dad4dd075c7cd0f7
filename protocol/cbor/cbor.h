// CBOR (RFC 8949) as the SDKs speak it with Kinesis, in place of JSON: the same members, but blobs
// are byte strings and times are tagged integers of milliseconds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/json/json_tree.h"

namespace stator {

// Returns the document as JSON: byte strings in Base64, times in seconds. Tags other than a time's
// are ignored. Empty if the bytes are not one document, or one that JSON cannot express.
std::optional<std::string> json_of_cbor(std::string_view cbor);

// The members of an answer that differ from JSON, by their names.
struct CborNames {
  std::span<const std::string_view> blobs;  // Base64 in JSON
  std::span<const std::string_view> times;  // seconds in JSON
};

// Appends the JSON document as CBOR. REQUIRES: blobs are valid Base64.
void append_cbor(std::string& out, const JsonNode& document, const CborNames& names);

}  // namespace stator
