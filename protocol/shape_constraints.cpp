// check_constraints(): the model's constraints, all violations collected, in both wordings
// (conformance/observed/errors.md 5).
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json_writer.h"
#include "protocol/limits.h"
#include "protocol/memory_block.h"
#include "protocol/shape.h"
#include "protocol/utf8.h"

namespace stator {
namespace {

constexpr std::size_t kViolationsMax = 10;
constexpr std::string_view kPatternText =
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";

// Where a value stands, as the service writes it: keySchema.1.member.keyType. Built only when
// something is wrong.
struct Path {
  const Path* parent;
  std::string_view name;          // a member's name in the model's spelling, or empty for
  std::size_t position = 0;       // a list element, counted from one, or
  std::string_view map_key = {};  // a map entry

  std::string text(bool model_spelling) const {
    std::string result = parent == nullptr ? std::string() : parent->text(model_spelling);
    if (!name.empty()) {
      if (!result.empty()) result += '.';
      result += name;
      if (!model_spelling) {
        char& first = result[result.size() - name.size()];
        first = static_cast<char>(std::tolower(static_cast<unsigned char>(first)));
      }
    } else if (position != 0) {
      result += '.' + std::to_string(position) + ".member";
    } else if (parent != nullptr) {
      result += '.' + std::string(map_key) + ".member";
    }
    return result;
  }
};

// Counts what is printed to it.
struct PrintedSize {
  void operator+=(char /*character*/) { ++bytes; }
  void operator+=(std::string_view text) { bytes += text.size(); }

  std::size_t bytes = 0;
};

template <class Out>
void append_lower_first(Out& out, std::string_view name) {
  const char first = name.front();
  out += first >= 'A' && first <= 'Z' ? static_cast<char>(first | 0x20) : first;
  out += name.substr(1);
}

// The value as the service's Java prints it. Nobody can depend on it for structures (the service
// itself varies).
template <class Out>
void print_value(Out& out, const JsonNode& node, const TypeSpec& type) {
  switch (node.kind()) {
    case JsonNode::Kind::Null:
      out += "null";
      return;
    case JsonNode::Kind::True:
    case JsonNode::Kind::False:
      out += std::string_view(boolean_of(node) ? "true" : "false");
      return;
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      out += std::to_string(integer_of(node));
      return;
    case JsonNode::Kind::String:
      out += node.text();
      return;
    case JsonNode::Kind::Array: {
      out += '[';
      bool first = true;
      for (const JsonNode& element : node.elements()) {
        if (!first) out += ", ";
        first = false;
        print_value(out, element, type.element == nullptr ? kStringType : *type.element);
      }
      out += ']';
      return;
    }
    case JsonNode::Kind::Object:
      break;
  }
  if (type.kind != TypeSpec::Kind::Structure) {
    out += '{';
    bool first = true;
    for (const JsonMember& member : node.members()) {
      if (!first) out += ", ";
      first = false;
      out += member.name;
      out += '=';
      print_value(out, member.value, type.element == nullptr ? kStringType : *type.element);
    }
    out += '}';
    return;
  }
  out += type.name;
  out += '(';
  bool first = true;
  for (const FieldSpec& field : type.fields) {
    if (!first) out += ", ";
    first = false;
    append_lower_first(out, field.name);
    out += '=';
    const JsonNode* value = node.find(field.name);
    if (value == nullptr) {
      out += "null";
    } else {
      print_value(out, *value, *field.type);
    }
  }
  out += ')';
}

// As in the request, without blanks.
void append_json(std::string& out, const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::String:
      return append_json_string(out, node.text());
    case JsonNode::Kind::Array: {
      out += '[';
      for (const JsonNode& element : node.elements()) {
        if (out.back() != '[') out += ',';
        append_json(out, element);
      }
      out += ']';
      return;
    }
    case JsonNode::Kind::Object: {
      out += '{';
      for (const JsonMember& member : node.members()) {
        if (out.back() != '{') out += ',';
        append_json_string(out, member.name);
        out += ':';
        append_json(out, member.value);
      }
      out += '}';
      return;
    }
    case JsonNode::Kind::Null:
    case JsonNode::Kind::True:
    case JsonNode::Kind::False:
    case JsonNode::Kind::Integer:
    case JsonNode::Kind::Decimal:
      break;
  }
  print_value(out, node, kStringType);
}

class Collector {
 public:
  static constexpr std::string_view kValue = "Value '";
  // How many violations there are, which result() puts before the first.
  static constexpr std::size_t kPrefixBytesMax = 64;

  explicit Collector(Wording wording) : wording_(wording) {}

  bool is_full() const { return violations_.size() >= kViolationsMax; }
  bool is_empty() const { return violations_.empty(); }

  void missing(const Path& path) {
    add("Value null at '" + path.text(false) +
        "' failed to satisfy constraint: Member must not be null");
  }

  void violated(const Path& path, const JsonNode& node, const TypeSpec& type,
                std::string_view rule) {
    if (closed_ || is_full()) return;
    const std::string behind =
        "' at '" + path.text(false) + "' failed to satisfy constraint: " + std::string(rule);
    std::string text;
    if (type.echoed_as_json && wording_.is_new()) {
      text = kValue;
      append_json(text, node);
    } else {
      // What is shown may be several times as long as the request: nothing is copied to make room.
      PrintedSize size;
      print_value(size, node, type);
      text.reserve(size.bytes + kValue.size() + behind.size() + kPrefixBytesMax);
      ask_for_huge_pages(text.data(), text.capacity());
      text = kValue;
      print_value(text, node, type);
    }
    add(text.append(behind));
  }

  // Lengths of collections, minimum lengths and numeric ranges: the new layer names the member as
  // the model does and echoes nothing.
  void out_of_range(const Path& path, const JsonNode& node, const TypeSpec& type,
                    std::string_view rule, std::int64_t bound) {
    const std::string whole = std::string(rule) + std::to_string(bound);
    const bool is_as_model = bound == type.max ? type.max_as_model : type.min_as_model;
    if (!wording_.is_new() && !is_as_model) return violated(path, node, type, whole);
    add("Value at '" + path.text(true) + "' failed to satisfy constraint: " + whole);
  }

  void not_in_enum(const Path& path, const JsonNode& node, const TypeSpec& type) {
    if (wording_.is_new() && !type.enveloped_enum_text.empty()) {
      std::string text(type.enveloped_enum_text);
      if (!type.is_reported_alone) return add(std::move(text));
      only(text);
      is_bare_ = type.is_bare;
      return;
    }
    std::string rule = "Member must satisfy enum value set: [";
    for (std::size_t i = 0; i < type.values.size(); ++i) {
      if (i != 0) rule += ", ";
      rule += type.values[i];
    }
    violated(path, node, type, rule + "]");
  }

  // Reported alone. In the new layer that is a table name that is too short, before others.
  void only(const std::string& violation) {
    violations_.assign(1, violation);
    is_bare_ = false;
    closed_ = true;
  }

  Wording wording() const { return wording_; }

  Result<void> result() && {
    if (violations_.empty()) return {};
    if (is_bare_) return Error::validation(std::move(violations_.front()));
    // What is echoed may be as long as the request, so it is not copied more often than needed.
    std::string message = std::move(violations_.front());
    message.insert(0, std::to_string(violations_.size()) + (violations_.size() == 1
                                                                ? " validation error detected: "
                                                                : " validation errors detected: "));
    for (std::size_t i = 1; i < violations_.size(); ++i)
      message.append("; ").append(violations_[i]);
    return Error::validation(std::move(message));
  }

  void add(std::string violation) {
    if (!closed_ && !is_full()) violations_.push_back(std::move(violation));
  }

 private:
  Wording wording_;
  std::vector<std::string> violations_;
  bool closed_ = false;
  bool is_bare_ = false;
};

constexpr std::string_view kLengthMin = "Member must have length greater than or equal to ";
constexpr std::string_view kLengthMax = "Member must have length less than or equal to ";
constexpr std::string_view kValueMin = "Member must have value greater than or equal to ";
constexpr std::string_view kValueMax = "Member must have value less than or equal to ";

void collect_string(const JsonNode& node, const TypeSpec& type, const Path& path,
                    Collector& collector) {
  const std::string_view text = node.text();
  if (!type.values.empty()) {
    if (std::find(type.values.begin(), type.values.end(), text) == type.values.end()) {
      collector.not_in_enum(path, node, type);
    }
    return;
  }
  if (type.table_arn_too && text.starts_with("arn:")) return;  // taken apart by the operation
  if (type.max == TypeSpec::kNoMax && type.min == TypeSpec::kNoMin) return;
  const auto length = static_cast<std::int64_t>(utf8_length(text));
  if (length > type.max) {
    return collector.violated(path, node, type, std::string(kLengthMax) + std::to_string(type.max));
  }
  if (type.table_arn_too && collector.wording().is_new() && length < type.min) {
    return collector.only("Value at '" + path.text(true) + "' failed to satisfy constraint: " +
                          std::string(kLengthMin) + std::to_string(type.min));
  }
  // An empty item-call table name gives the length alone (since 2023); other empty names give both.
  const bool pattern_counts = type.name_pattern && !(type.min == 1 && text.empty());
  if (pattern_counts && !matches_name_pattern(text))
    collector.violated(path, node, type, kPatternText);
  if (length < type.min) collector.out_of_range(path, node, type, kLengthMin, type.min);
}

void collect_size(std::size_t count, const JsonNode& node, const TypeSpec& type, const Path& path,
                  Collector& collector) {
  const auto length = static_cast<std::int64_t>(count);
  if (length > type.max) collector.out_of_range(path, node, type, kLengthMax, type.max);
  if (length < type.min) collector.out_of_range(path, node, type, kLengthMin, type.min);
}

bool is_table_key(std::string_view key) {
  if (key.starts_with("arn:")) return true;  // taken apart by the operation
  return key.size() >= limits::kTableNameCharsMin && key.size() <= limits::kTableNameCharsMax &&
         matches_name_pattern(key);
}

// Keys and sizes of a map's values are reported at the map itself.
void collect_entries(const JsonNode& node, const TypeSpec& type, const Path& path,
                     Collector& collector) {
  const auto entries = node.members();
  if (type.table_keys && !(type.keys_yield && !collector.is_empty()) &&
      !std::all_of(entries.begin(), entries.end(),
                   [](const JsonMember& entry) { return is_table_key(entry.name); })) {
    collector.violated(path, node, type,
                       "Map keys must satisfy constraint: [" + std::string(kLengthMax) +
                           std::to_string(limits::kTableNameCharsMax) + ", " +
                           std::string(kLengthMin) + std::to_string(limits::kTableNameCharsMin) +
                           ", " + std::string(kPatternText) + "]");
  }
  const TypeSpec& element = *type.element;
  if (element.kind != TypeSpec::Kind::List || element.max == TypeSpec::kNoMax) return;
  if (!std::all_of(entries.begin(), entries.end(), [&](const JsonMember& entry) {
        const auto length = static_cast<std::int64_t>(entry.value.elements().size());
        return length >= element.min && length <= element.max;
      })) {
    collector.violated(path, node, type,
                       "Map value must satisfy constraint: [" + std::string(kLengthMax) +
                           std::to_string(element.max) + ", " + std::string(kLengthMin) +
                           std::to_string(element.min) + "]");
  }
}

void collect_fields(const JsonNode& node, const TypeSpec& shape, const Path* parent,
                    Collector& collector);
void collect_node(const JsonNode& node, const TypeSpec& type, const Path& path,
                  Collector& collector);

void collect_elements(const JsonNode& node, const TypeSpec& type, const Path& path,
                      Collector& collector) {
  std::size_t position = 0;
  for (const JsonNode& element : node.elements()) {
    const Path element_path{&path, {}, ++position};
    collect_node(element, *type.element, element_path, collector);
  }
}

void collect_node(const JsonNode& node, const TypeSpec& type, const Path& path,
                  Collector& collector) {
  if (collector.is_full()) return;
  switch (type.kind) {
    case TypeSpec::Kind::String:
      return collect_string(node, type, path, collector);
    case TypeSpec::Kind::Integer:
    case TypeSpec::Kind::Long: {
      const std::int64_t value = integer_of(node);
      if (value < type.min) collector.out_of_range(path, node, type, kValueMin, type.min);
      if (value > type.max) collector.out_of_range(path, node, type, kValueMax, type.max);
      return;
    }
    case TypeSpec::Kind::List: {
      collect_size(node.elements().size(), node, type, path, collector);
      return collect_elements(node, type, path, collector);
    }
    case TypeSpec::Kind::Map: {
      collect_size(node.members().size(), node, type, path, collector);
      if (type.element->kind == TypeSpec::Kind::AttributeValue) return;
      collect_entries(node, type, path, collector);
      for (const JsonMember& member : node.members()) {
        const Path entry_path{&path, {}, 0, member.name};
        if (type.element->kind == TypeSpec::Kind::List) {
          collect_elements(member.value, *type.element, entry_path, collector);
        } else {
          collect_node(member.value, *type.element, entry_path, collector);
        }
      }
      return;
    }
    case TypeSpec::Kind::Structure:
      return collect_fields(node, type, &path, collector);
    case TypeSpec::Kind::Double:
    case TypeSpec::Kind::Timestamp:
    case TypeSpec::Kind::Boolean:
    case TypeSpec::Kind::AttributeValue:
      return;
  }
}

void collect_fields(const JsonNode& node, const TypeSpec& shape, const Path* parent,
                    Collector& collector) {
  for (const FieldSpec& field : shape.fields) {
    const Path path{parent, field.name};
    const JsonNode* value = node.find(field.name);
    if (value != nullptr) {
      collect_node(*value, *field.type, path, collector);
    } else if (field.required) {
      collector.missing(path);
    }
  }
}

}  // namespace

bool matches_name_pattern(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

Result<void> check_constraints(const JsonNode& body, const TypeSpec& shape, Wording wording) {
  Collector collector(wording);
  collect_fields(body, shape, nullptr, collector);
  return std::move(collector).result();
}

}  // namespace stator
