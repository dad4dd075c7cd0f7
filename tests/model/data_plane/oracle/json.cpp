#include "tests/model/data_plane/oracle/json.h"

#include <algorithm>
#include <stdexcept>

#include "protocol/json/json_reader.h"

namespace stator::model {
namespace {

void print_string(std::string_view text, std::string& out) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15u];
    } else {
      out += c;
    }
  }
  out += '"';
}

void print_to(const Json& json, std::string& out) {
  bool is_first = true;
  const auto separate = [&] {
    if (!is_first) out += ',';
    is_first = false;
  };
  switch (json.kind) {
    case Json::Kind::Null:
      out += "null";
      return;
    case Json::Kind::Bool:
      out += json.flag ? "true" : "false";
      return;
    case Json::Kind::Number:
      out += json.text;
      return;
    case Json::Kind::String:
      return print_string(json.text, out);
    case Json::Kind::Array:
      out += '[';
      for (const Json& element : json.array) {
        separate();
        print_to(element, out);
      }
      out += ']';
      return;
    case Json::Kind::Object:
      out += '{';
      for (const auto& [name, value] : json.object) {
        separate();
        print_string(name, out);
        out += ':';
        print_to(value, out);
      }
      out += '}';
      return;
  }
}

// A set is an object with one member, whose name says so and whose value is a list of strings.
void sort_set(Json& json) {
  if (json.object.size() != 1) return;
  auto& [name, value] = *json.object.begin();
  if (name != "SS" && name != "NS" && name != "BS") return;
  if (value.kind != Json::Kind::Array) return;
  std::sort(value.array.begin(), value.array.end(),
            [](const Json& a, const Json& b) { return a.text < b.text; });
}

Json convert(const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::Null:
      return Json::null();
    case JsonNode::Kind::False:
    case JsonNode::Kind::True:
      return Json::boolean(node.kind() == JsonNode::Kind::True);
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      return Json::number(std::string(node.text()));
    case JsonNode::Kind::String:
      return Json::string(std::string(node.text()));
    case JsonNode::Kind::Array: {
      Json list = Json::list();
      list.array.reserve(node.elements().size());
      for (const JsonNode& element : node.elements()) list.array.push_back(convert(element));
      return list;
    }
    case JsonNode::Kind::Object:
      break;
  }
  Json object;
  for (const JsonMember& member : node.members()) {
    if (!object.object.emplace(std::string(member.name), convert(member.value)).second) {
      throw std::runtime_error("a member twice: " + std::string(member.name));
    }
  }
  sort_set(object);
  return object;
}

}  // namespace

Json Json::null() {
  Json json;
  json.kind = Kind::Null;
  return json;
}
Json Json::boolean(bool flag) {
  Json json;
  json.kind = Kind::Bool;
  json.flag = flag;
  return json;
}
Json Json::number(std::string text) {
  Json json;
  json.kind = Kind::Number;
  json.text = std::move(text);
  return json;
}
Json Json::string(std::string text) {
  Json json;
  json.kind = Kind::String;
  json.text = std::move(text);
  return json;
}
Json Json::list(std::vector<Json> elements) {
  Json json;
  json.kind = Kind::Array;
  json.array = std::move(elements);
  return json;
}

const Json* Json::find(const std::string& name) const {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}

std::string Json::print() const {
  std::string out;
  print_to(*this, out);
  return out;
}

Json parse_answer(std::string text) {
  const std::string kept = text;
  Arena arena;
  text.reserve(text.size() + kJsonSpareBytes);
  const auto node = read_json(text, arena);
  if (!node) throw std::runtime_error("the answer is not JSON: " + kept);
  return convert(*node);
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const unsigned byte = i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
      group = group << 8 | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return out;
}

}  // namespace stator::model
