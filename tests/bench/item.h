// The items of the bench. The usual one: 700 bytes as the service bills them, eleven attributes of
// mixed types (twelve with a sort key). The load writes and reads it; the bare server answers it as
// its constant. The small one fills large tables.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace bench {

inline constexpr int kKeys = 10'000;

// As many digits as always, so that texts that differ in the number alone are equally long.
inline std::string digits(int number, int width) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*d", width, number);
  return text;
}

inline std::string item_key(int number) { return "user#" + digits(number % kKeys, 6); }
inline std::string sort_key(int number) { return "order#" + digits(number, 6); }

inline std::string string_attribute(std::string_view name, const std::string& text) {
  return "\"" + std::string(name) + R"(":{"S":")" + text + "\"}";
}

// `keys` are the key attributes, which take `key_bytes` of the 700.
inline std::string item_json(const std::string& keys, std::size_t key_bytes) {
  return "{" + keys + R"(,"name":{"S":"Aurelia Winterbourne-Castellanos"},)" +
         R"("email":{"S":"aurelia.winterbourne@example.com"},)"
         R"("age":{"N":"37"},"balance":{"N":"10482.75"},"active":{"BOOL":true},)"
         R"("joined":{"S":"2026-11-20T08:30:00.000Z"},)"
         R"("address":{"M":{"street":{"S":"1024 Harbour Lane"},"city":{"S":"Port Meridian"},)"
         R"("zip":{"S":"04-217"},"floor":{"N":"3"}}},)"
         R"("roles":{"SS":["auditor","editor","owner"]},)"
         R"("scores":{"L":[{"N":"12"},{"N":"7.5"},{"N":"-3"},{"S":"void"},{"NULL":true}]},)"
         R"("bio":{"S":")" +
         std::string(451 - key_bytes, 'b') + R"("}})";
}

inline std::string item_json(int number) {
  const std::string key = item_key(number);
  return item_json(string_attribute("pk", key), 2 + key.size());
}

// Of a table with a sort key.
inline std::string item_json(int partition, int place) {
  const std::string pk = item_key(partition);
  const std::string sk = sort_key(place);
  return item_json(string_attribute("pk", pk) + "," + string_attribute("sk", sk),
                   2 + pk.size() + 2 + sk.size());
}

inline std::string get_item_answer(int number) { return R"({"Item":)" + item_json(number) + "}"; }

// The small items: ten in each partition.
inline std::string small_partition(int number) { return "p#" + digits(number / 10, 7); }
inline std::string small_key_json(int number) {
  return "{" + string_attribute("pk", small_partition(number)) + "," +
         string_attribute("sk", "s#" + digits(number % 10, 1)) + "}";
}
inline std::string small_item_json(int number) {
  std::string json = small_key_json(number);
  json.pop_back();
  return json + R"(,"count":{"N":"1"},"text":{"S":")" + std::string(60, 't') + R"("}})";
}

}  // namespace bench
