// Any bytes as CBOR: what is read is JSON, and as CBOR again it is the same JSON.
#include "protocol/cbor/cbor.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stator;
  const auto json = json_of_cbor({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  std::string text = *json;
  Arena arena;
  const auto document = read_json(text, arena);
  if (!document) return 0;  // of a repeated name or a depth that JSON's reader refuses
  std::string again;
  append_cbor(again, *document, {});
  const auto same = json_of_cbor(again);
  if (!same || *same != *json) std::abort();
  return 0;
}
