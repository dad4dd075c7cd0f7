// The item of the bench: 700 bytes as the service bills them, eleven attributes of mixed types, the
// key `user#000123`. The load writes and reads it; the bare server answers it as its constant.
#pragma once

#include <cstdio>
#include <string>

namespace bench {

inline constexpr int kKeys = 10'000;

inline std::string item_key(int number) {
  char text[16];
  std::snprintf(text, sizeof text, "user#%06d", number % kKeys);
  return text;
}

inline std::string item_json(int number) {
  return R"({"pk":{"S":")" + item_key(number) + R"("},)" +
         R"("name":{"S":"Aurelia Winterbourne-Castellanos"},)"
         R"("email":{"S":"aurelia.winterbourne@example.com"},)"
         R"("age":{"N":"37"},"balance":{"N":"10482.75"},"active":{"BOOL":true},)"
         R"("joined":{"S":"2026-11-20T08:30:00.000Z"},)"
         R"("address":{"M":{"street":{"S":"1024 Harbour Lane"},"city":{"S":"Port Meridian"},)"
         R"("zip":{"S":"04-217"},"floor":{"N":"3"}}},)"
         R"("roles":{"SS":["auditor","editor","owner"]},)"
         R"("scores":{"L":[{"N":"12"},{"N":"7.5"},{"N":"-3"},{"S":"void"},{"NULL":true}]},)"
         R"("bio":{"S":")" +
         std::string(438, 'b') + R"("}})";
}

inline std::string get_item_answer(int number) { return R"({"Item":)" + item_json(number) + "}"; }

}  // namespace bench
