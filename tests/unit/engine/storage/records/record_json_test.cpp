// Records rendered as JSON against their values rendered: the short ways taken for short members
// and what lies beside them.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/packed_size.h"
#include "protocol/json/json_buffer.h"
#include "protocol/number/number.h"

namespace stator::storage {
namespace {

Value number(std::string_view text, Arena& arena) {
  Number parsed;
  REQUIRE(parse_number(text, NumberRules::Current, parsed) == NumberError::None);
  return Value::number(encode_number(parsed, arena));
}

std::string json_of(Item item) {
  std::string json;
  append_item_json(json, item);
  return json;
}

// Of a record of its own size on the heap, so that a byte read beyond it shows.
std::string rendered(Item item, std::size_t expected_bytes) {
  std::string record;
  encode_item(item, record);
  const std::vector<char> exact(record.begin(), record.end());
  std::string json;
  {
    JsonBuffer buffer(json, expected_bytes);
    EncodedItem(std::string_view(exact.data(), exact.size())).append_json(buffer);
  }
  return json;
}

// As a page shows it: the same text, and the packed size that a walk of its own counts.
void check_of_page(Item item, std::string_view sort_key) {
  std::string record;
  encode_item(item, record);
  std::string json;
  REQUIRE(EncodedItem(record).append_json_of_page(json, sort_key) ==
          packed_size_bytes(record, sort_key));
  REQUIRE(json == json_of(item));
}

TEST_CASE("record json: names and strings of every length, an escape anywhere, ends anywhere",
          "[storage]") {
  Arena arena;
  const auto check = [&](std::string_view name, std::string_view text) {
    const std::vector<Value> elements = {Value::string(text), Value::boolean(false), Value::null(),
                                         number("-7.5", arena)};
    const std::vector<Member> members = {{name, Value::string(text)}};
    const Value map = Value::map(members);
    const Value list = Value::list(elements);
    const std::vector<std::vector<Member>> items = {
        {{name, Value::string(text)}},
        {{name, number("120", arena)}},
        {{name, list}},
        {{name, map}},
        {{name, Value::boolean(true)}, {"~", Value::boolean(false)}, {"~~", Value::null()}},
        {{name, Value::string(text)}, {"~", list}, {"~~", map}, {"~~~", Value::string(text)}}};
    for (const std::vector<Member>& item : items) {
      for (const std::size_t expected_bytes : {0U, 250U, 4000U})
        REQUIRE(rendered(item, expected_bytes) == json_of(item));
      check_of_page(item, "");
      if (is_key_type(item.back().value.type())) check_of_page(item, item.back().name);
    }
  };
  for (std::size_t size = 0; size <= 130; ++size) {
    std::string text(size, 't');
    check("name", text);
    if (size > 0 && size <= 40) check(text, "text");
    for (std::size_t at = 0; at < size; at += size < 20 ? 1 : 7) {
      text[at] = '"';
      check("name", text);
      if (size <= 20) check(text, "text");
      text[at] = 't';
    }
  }
  for (const char* digits :
       {"0", "1", "-1", "1e125", "-1e-130", "12345678901234567890123456789012345678"}) {
    const std::vector<Member> item = {{"n", number(digits, arena)}, {"z", Value::string("behind")}};
    CHECK(rendered(item, 0) == json_of(item));
    CHECK(rendered(item, 1000) == json_of(item));
  }
}

}  // namespace
}  // namespace stator::storage
