#include "server/data/transfer/ion_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "protocol/json/json_writer.h"
#include "protocol/text/utf8.h"
#include "server/data/transfer/ion_text.h"

namespace stator::data {

namespace {

// Far above the 32 levels of an item, whose check has the service's words.
constexpr int kDepthMax = 100;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_base64_char(char c) {
  return (is_name_char(c) && c != '_' && c != '$') || c == '+' || c == '/' || c == '=';
}

// -1 for any other character.
int hexadecimal_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3F));
  } else {
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

class LineReader {
 public:
  LineReader(std::string_view text, std::string& out) : text_{text}, out_{out} {}

  bool line() {
    skip_version();
    if (!skip('{')) return fail("it is no {Item:{…}} of Ion");
    std::string name;
    if (!member_name(name)) return false;
    if (name != "Item" && name != "Record") return fail("it is no {Item:{…}} of Ion");
    if (name == "Item") out_ += "{\"Item\":";
    if (!(name == "Item" ? map() : record())) return false;
    if (name == "Item") out_ += '}';
    if (!skip('}')) return fail("something follows the " + name);
    return ends();
  }

  // An item, and its condition if it has one.
  bool put() {
    skip_version();
    out_ += '{';
    const bool is_read = members([this](const std::string& name, bool is_first) {
      if (!is_first) out_ += ',';
      append_json_string(out_, name);
      out_ += ':';
      if (name == "Item" || name == "ExpressionAttributeValues") return map();
      if (name == "ExpressionAttributeNames") return texts();
      return name == "ConditionExpression" ? text() : fail("a record has no " + name);
    });
    out_ += '}';
    return is_read && ends();
  }

  const std::string& problem() const { return problem_; }

 private:
  bool fail(std::string_view why) {
    problem_ = why;
    problem_ += " at byte " + std::to_string(at_ + 1);
    return false;
  }

  // '\0' after the end, which no grammar here accepts.
  char char_at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  char peek() const { return char_at(at_); }

  void skip_space() {
    while (is_space(peek())) ++at_;
  }

  void skip_version() {
    skip_space();
    if (text_.substr(at_).starts_with(kIonVersion) &&
        !is_name_char(char_at(at_ + kIonVersion.size())))
      at_ += kIonVersion.size();
  }

  bool ends() {
    skip_space();
    return at_ == text_.size() || fail("something follows the item");
  }

  bool skip(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (is_name_char(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // A member's name and its colon.
  bool member_name(std::string& name) {
    skip_space();
    if (peek() == '"' || peek() == '\'') {
      if (!quoted(name)) return false;
    } else {
      name = word();
      constexpr std::array<std::string_view, 4> kKeywords{"null", "true", "false", "nan"};
      const bool is_keyword =
          std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
      // $10 is a number of a symbol's table.
      const bool is_number =
          name.size() > 1 && name[0] == '$' &&
          std::all_of(name.begin() + 1, name.end(), [](char c) { return is_digit(c); });
      if (name.empty() || is_digit(name[0]) || is_keyword || is_number)
        return fail("a name is missing");
    }
    return skip(':') || fail("a colon is missing");
  }

  // The members of a struct after `{`: calls `take` with each name, before its value.
  template <class Take>
  bool members(const Take& take) {
    std::set<std::string, std::less<>> names;
    if (!skip('{')) return fail("a struct is missing");
    while (!skip('}')) {
      if (!names.empty() && !skip(',')) return fail("a comma is missing");
      if (!names.empty() && skip('}')) return true;  // Ion allows a comma before it
      std::string name;
      if (!member_name(name)) return false;
      const auto [place, is_new] = names.insert(std::move(name));
      if (!is_new) return fail("the name '" + *place + "' is there twice");
      if (!take(*place, names.size() == 1)) return false;
    }
    return true;
  }

  bool map() {
    if (++depth_ > kDepthMax) return fail("it is nested too deep");
    out_ += '{';
    const bool is_read = members([this](const std::string& name, bool is_first) {
      if (!is_first) out_ += ',';
      append_json_string(out_, name);
      out_ += ':';
      return value();
    });
    out_ += '}';
    --depth_;
    return is_read;
  }

  bool text() {
    skip_space();
    return string();
  }

  bool texts() {
    out_ += '{';
    const bool is_read = members([this](const std::string& name, bool is_first) {
      if (!is_first) out_ += ',';
      append_json_string(out_, name);
      out_ += ':';
      return text();
    });
    out_ += '}';
    return is_read;
  }

  // The members of a record are items.
  bool record() {
    out_ += '{';
    const bool is_read = members([this](const std::string& name, bool is_first) {
      constexpr std::array<std::string_view, 4> kMembers{"Metadata", "Keys", "OldImage",
                                                         "NewImage"};
      if (std::find(kMembers.begin(), kMembers.end(), name) == kMembers.end())
        return fail("a Record has no " + name);
      if (!is_first) out_ += ',';
      out_.append("\"").append(name).append("\":");
      return map();
    });
    out_ += '}';
    return is_read;
  }

  // An attribute value with its type.
  bool value() {
    skip_space();
    const char c = peek();
    if (c == '{' && char_at(at_ + 1) != '{') return typed("M", [this] { return map(); });
    if (c == '[') return typed("L", [this] { return list([this] { return value(); }); });
    if (c == '"') return typed("S", [this] { return string(); });
    if (c == '{') return typed("B", [this] { return blob(); });
    if (c == '-' || is_digit(c)) return typed("N", [this] { return number(); });
    if (c == '\'') return annotated();
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (name == "true" || name == "false") return typed("BOOL", [&] { return text(name); });
    if (name == "null" && peek() != '.') return typed("NULL", [&] { return text("true"); });
    at_ = begin;
    return annotated();
  }

  template <class Write>
  bool typed(std::string_view type, const Write& write) {
    out_.append("{\"").append(type).append("\":");
    if (!write()) return false;
    out_ += '}';
    return true;
  }

  bool text(std::string_view json) {
    out_ += json;
    return true;
  }

  template <class Element>
  bool list(const Element& element) {
    if (!skip('[')) return fail("a list is missing");
    if (++depth_ > kDepthMax) return fail("it is nested too deep");
    out_ += '[';
    for (bool is_first = true; !skip(']'); is_first = false) {
      if (!is_first && !skip(',')) return fail("a comma is missing");
      if (!is_first && skip(']')) break;  // Ion allows a comma before it
      if (!is_first) out_ += ',';
      skip_space();
      if (!element()) return false;
    }
    out_ += ']';
    --depth_;
    return true;
  }

  // A set: $dynamodb_SS::[…].
  bool annotated() {
    const std::size_t begin = at_;
    std::string name;
    if (peek() == '\'') {
      if (!quoted(name)) return false;
    } else {
      name = word();
    }
    const bool is_annotation = skip(':') && peek() == ':';
    if (is_annotation) ++at_;
    if (is_annotation && name == "$dynamodb_SS")
      return typed("SS", [this] { return list([this] { return string(); }); });
    if (is_annotation && name == "$dynamodb_NS")
      return typed("NS", [this] { return list([this] { return number(); }); });
    if (is_annotation && name == "$dynamodb_BS")
      return typed("BS", [this] { return list([this] { return blob(); }); });
    at_ = begin;
    return fail("a value is missing, or its type is none of DynamoDB's");
  }

  bool string() {
    std::string content;
    if (peek() != '"') return fail("a string is missing");
    if (!quoted(content)) return false;
    append_json_string(out_, content);
    return true;
  }

  // A blob's Base64, whose form item_of() checks.
  bool blob() {
    if (peek() != '{' || char_at(at_ + 1) != '{') return fail("a blob is missing");
    at_ += 2;
    out_ += '"';
    for (skip_space(); is_base64_char(peek()); skip_space()) out_ += text_[at_++];
    out_ += '"';
    if (peek() != '}' || char_at(at_ + 1) != '}') return fail("a blob is no Base64");
    at_ += 2;
    return true;
  }

  // Digits with single underscores between them.
  bool digits(std::string& number) {
    if (!is_digit(peek())) return false;
    while (is_digit(peek()) ||
           (peek() == '_' && is_digit(char_at(at_ + 1)) && at_ != 0 && is_digit(text_[at_ - 1]))) {
      if (peek() != '_') number += peek();
      ++at_;
    }
    return true;
  }

  // A decimal, or an int. Ion's floats are binary, so they are no numbers of DynamoDB.
  bool number() {
    std::string number;
    if (peek() == '-') number += text_[at_++];
    const std::size_t begin = at_;
    if (!digits(number)) return fail("a number is missing");
    if (text_[begin] == '0' && at_ - begin > 1) return fail("a number begins with 0");
    std::string fraction;
    if (peek() == '.') {
      ++at_;
      digits(fraction);
    }
    if (!fraction.empty()) number.append(".").append(fraction);
    if (peek() == 'd' || peek() == 'D') {
      number += 'E';
      ++at_;
      if (peek() == '-' || peek() == '+') number += text_[at_++];
      if (!digits(number)) return fail("an exponent is missing");
    }
    if (peek() == 'e' || peek() == 'E') return fail("a float is no number of DynamoDB");
    if (is_name_char(peek()) || peek() == '.' || peek() == '-' || peek() == ':')
      return fail("this is no number");
    out_.append("\"").append(number).append("\"");
    return true;
  }

  // Text between quotes, without its escapes.
  bool quoted(std::string& content) {
    const char quote = text_[at_++];
    content.clear();
    for (;;) {
      if (at_ == text_.size()) return fail("a quote is never closed");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20 && !is_space(c))
        return fail("a control character has no escape");
      ++at_;
      if (c == quote) return true;
      if (c != '\\') {
        content += c;
      } else if (!escape(content)) {
        return false;
      }
    }
  }

  bool escape(std::string& content) {
    constexpr std::string_view kLetters = "0abtnvfr\"'?\\/";
    constexpr std::string_view kMeanings{"\0\a\b\t\n\v\f\r\"'?\\/", 13};
    const char letter = peek();
    ++at_;
    const std::size_t place = letter == '\0' ? std::string_view::npos : kLetters.find(letter);
    if (place != std::string_view::npos) {
      content += kMeanings[place];
      return true;
    }
    std::uint32_t point = 0;
    const int size = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (size == 0 || !code(size, point)) return fail("this is no escape");
    const bool is_first_half = letter == 'u' && point >= 0xD800 && point < 0xDC00;
    if (is_first_half && peek() == '\\' && char_at(at_ + 1) == 'u') {
      at_ += 2;
      std::uint32_t half = 0;
      if (!code(size, half) || half < 0xDC00 || half > 0xDFFF) return fail("this is no escape");
      point = 0x10000 + ((point - 0xD800) << 10) + (half - 0xDC00);
    }
    if ((point >= 0xD800 && point <= 0xDFFF) || point > 0x10FFFF) return fail("this is no escape");
    append_utf8(content, point);
    return true;
  }

  // `size` hexadecimal digits.
  bool code(int size, std::uint32_t& point) {
    for (int i = 0; i < size; ++i) {
      const int digit = hexadecimal_value(peek());
      if (digit < 0) return false;
      point = point << 4 | static_cast<std::uint32_t>(digit);
      ++at_;
    }
    return true;
  }

  const std::string_view text_;
  std::string& out_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string problem_;
};

}  // namespace

tl::expected<void, std::string> append_ion_line_json(std::string& out, std::string_view line) {
  if (!is_valid_utf8(line)) return tl::unexpected(std::string("it is not UTF-8"));
  LineReader reader{line, out};
  if (!reader.line()) return tl::unexpected(reader.problem());
  return {};
}

tl::expected<void, std::string> append_ion_put_json(std::string& out, std::string_view line) {
  if (!is_valid_utf8(line)) return tl::unexpected(std::string("it is not UTF-8"));
  LineReader reader{line, out};
  if (!reader.put()) return tl::unexpected(reader.problem());
  return {};
}

bool is_ion_version(std::string_view line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line == kIonVersion;
}

}  // namespace stator::data
