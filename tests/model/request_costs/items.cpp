// Large values of every kind.
#include <array>
#include <bit>
#include <string>

#include "tests/model/request_costs/cases.h"

namespace stator::costs {
namespace {

std::string strings(std::size_t count, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text.append(i == 0 ? "\"" : ",\"").append(digits(i, width)).append("\"");
  return text;
}

std::string members(std::size_t count, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text.append(i == 0 ? "\"" : ",\"").append(digits(i, width)).append(R"(":{"S":""})");
  return text;
}

// `count` elements, the last of them special.
std::string list(const std::string& element, std::size_t count, const std::string& last) {
  return R"({"L":[)" + repeated(element + ",", count, "") + last + "]}";
}

}  // namespace

std::string repeated(const std::string& text, std::size_t count, const std::string& between) {
  std::string all;
  all.reserve(count * (text.size() + between.size()));
  for (std::size_t i = 0; i < count; ++i) all.append(i == 0 ? "" : between).append(text);
  return all;
}

std::string letters(std::size_t size, std::size_t place) {
  std::string text(size, 'a');
  if (place < size) text[place] = 'b';
  return text;
}

std::string prose(std::size_t size, std::size_t number) {
  Random random(number);
  std::string text(size, 'a');
  for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
  return text;
}

std::string hard_text(const std::string& kind, std::size_t size, std::size_t number) {
  Random random(number);
  std::string text(size, 'a');
  for (std::size_t i = 0; i < size; ++i) {
    bool is_b = false;
    if (kind == "pairs") is_b = random() % 2 == 1;
    if (kind == "sparse") is_b = random() % 40 == 0;
    if (kind == "overlaps") is_b = std::popcount(number + i) % 2 == 1;
    if (is_b) text[i] = 'b';
  }
  return text;
}

std::string digits(std::size_t number, std::size_t width) {
  std::string text(width, '0');
  for (std::size_t i = width; i-- > 0; number /= 10) text[i] = static_cast<char>('0' + number % 10);
  return text;
}

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = {"text",    "binary",      "empties", "nulls",
                                               "numbers", "maps",        "map",     "strings",
                                               "set",     "numbers set", "deep"};
  return all;
}

std::string value_of(const std::string& kind, std::size_t size, bool differs) {
  const std::string other = differs ? "x" : "y";
  if (kind == "text") return R"({"S":")" + letters(size, differs ? size - 1 : size) + R"("})";
  if (kind == "prose") return R"({"S":")" + prose(size, differs ? 0 : 1) + R"("})";
  if (kind == "pairs" || kind == "overlaps" || kind == "sparse")
    return R"({"S":")" + hard_text(kind, size, differs ? 0 : 1) + R"("})";
  if (kind == "binary")
    return R"({"B":")" + std::string(size / 3 * 4, 'Y') + (differs ? "YQ==" : "Yg==") + R"("})";
  if (kind == "empties") return list(R"({"S":""})", size, R"({"S":")" + other + R"("})");
  if (kind == "nulls") return list(R"({"NULL":true})", size / 2, R"({"S":")" + other + R"("})");
  if (kind == "numbers")
    return list(R"({"N":"1"})", size / 3, R"({"N":")" + std::string(differs ? "2" : "1") + R"("})");
  if (kind == "maps")
    return list(R"({"M":{"a":{"S":""}}})", size / 6, R"({"S":")" + other + R"("})");
  if (kind == "strings") return list(R"({"S":"a"})", size / 2, R"({"S":")" + other + R"("})");
  if (kind == "map")
    return R"({"M":{)" + members(size / 7, 6) + R"(,"z":{"S":")" + other + R"("}}})";
  if (kind == "set") return R"({"SS":[)" + strings(size / 6, 6) + R"(,")" + other + R"("]})";
  if (kind == "numbers set") {
    std::string text;
    for (std::size_t i = 1; i < size / 5; ++i) text.append(R"(",")").append(std::to_string(i));
    return R"({"NS":["0)" + text + R"(",")" + std::string(differs ? "-1" : "-2") + R"("]})";
  }
  // Twenty maps, one in the other, around a list.
  return repeated(R"({"M":{"a":)", 20, "") + value_of("empties", size - 100, differs) +
         std::string(40, '}');
}

std::vector<Case> items(const Scale& scale) {
  std::vector<Case> cases;
  for (const std::string& kind : kinds()) {
    for (const std::string sk : {"1", "2", "3"}) {
      cases.push_back({"store " + kind, "PutItem",
                       R"({"TableName":"ttt","Item":{"pk":{"S":")" + kind + R"("},"sk":{"S":")" +
                           sk + R"("},"a":)" + value_of(kind, scale.item()) + "}}"});
    }
  }
  cases.push_back({"store attributes", "PutItem",
                   R"({"TableName":"ttt","Item":{"pk":{"S":"attributes"},"sk":{"S":"1"},)" +
                       members(scale.item() / 6, 6) + "}}"});
  // A page of items as small as they get.
  for (std::size_t first = 0; first < scale.item(40'000); first += 25) {
    std::string writes;
    for (std::size_t i = first; i < first + 25; ++i) {
      writes.append(i == first ? "" : ",")
          .append(R"({"PutRequest":{"Item":{"pk":{"S":"tiny"},"sk":{"S":")")
          .append(digits(i, 5))
          .append(R"("}}}})");
    }
    cases.push_back(
        {"store tiny", "BatchWriteItem", R"({"RequestItems":{"ttt":[)" + writes + "]}}"});
  }
  return cases;
}

}  // namespace stator::costs
