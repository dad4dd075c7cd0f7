// check_constraints(): collects all violations of the model's constraints, in both wordings
// (conformance/observed/errors.md 5).
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "protocol/errors/rule.h"
#include "protocol/service/arn.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"
#include "protocol/shapes/shape_text.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

constexpr std::size_t kViolationsMax = 10;
constexpr std::string_view kLengthMin = "Member must have length greater than or equal to ";
constexpr std::string_view kPatternText =
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";

// The position of a value as the service writes it: keySchema.1.member.keyType. Converted to text
// only if something is wrong.
struct Path {
  const Path* parent;
  std::string_view name;          // a member's name in the model's spelling, or empty for
  std::size_t position = 0;       // a list element, from one, or
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
      result += '.' + std::string(utf8_prefix(map_key, kShownBytesMax)) + ".member";
    }
    return result;
  }
};

class Collector {
 public:
  explicit Collector(Wording wording) : wording_(wording) {}

  bool is_full() const { return violations_.size() >= kViolationsMax; }
  bool is_empty() const { return violations_.empty(); }

  void missing(const Path& path) {
    add({"Value null at '" + path.text(false) +
         "' failed to satisfy constraint: Member must not be null"});
  }

  void violated(const Path& path, const JsonNode& node, const TypeSpec& type,
                std::string_view constraint) {
    if (closed_ || is_full()) return;
    std::string value;
    if (type.echoed_as_json && wording_.is_new()) {
      append_json(value, node);
    } else {
      append_printed(value, node, type);
    }
    add(Violation::of("Value '" + value + "' at ", path.text(false), constraint, value));
  }

  // Lengths of collections, minimum lengths and numeric ranges. The new layer names the member as
  // the model does and shows no value.
  void out_of_range(const Path& path, const JsonNode& node, const TypeSpec& type,
                    std::string_view constraint, std::int64_t bound) {
    const std::string whole = std::string(constraint) + std::to_string(bound);
    const bool is_as_model = bound == type.max ? type.max_as_model : type.min_as_model;
    if (!wording_.is_new() && !is_as_model) return violated(path, node, type, whole);
    add(Violation::of("Value at ", path.text(true), whole));
  }

  void not_in_enum(const Path& path, const JsonNode& node, const TypeSpec& type) {
    if (wording_.is_new() && !type.enveloped_enum_text.empty()) {
      Violation violation{std::string(type.enveloped_enum_text)};
      if (!type.is_reported_alone) return add(std::move(violation));
      only(std::move(violation));
      is_bare_ = type.is_bare;
      return;
    }
    std::string constraint = "Member must satisfy enum value set: [";
    for (std::size_t i = 0; i < type.values.size(); ++i) {
      if (i != 0) constraint += ", ";
      constraint += type.values[i];
    }
    violated(path, node, type, constraint + "]");
  }

  // Makes this the only violation reported. In the new layer that happens for a table name that is
  // too short, before others.
  void only_length(const Path& path, std::int64_t length_min) {
    only(Violation::of("Value at ", path.text(true),
                       std::string(kLengthMin) + std::to_string(length_min)));
  }

  Wording wording() const { return wording_; }

  Result<void> result() const {
    if (violations_.empty()) return {};
    const Violation& first = violations_.front();
    std::string others;
    for (std::size_t i = 1; i < violations_.size(); ++i) others += "; " + violations_[i].text;
    Error error = Error::validation(first.text + others);
    if (!first.constraint.empty())
      error = std::move(error).with_rule(Rule::Constraint,
                                         {first.path, first.constraint + others, first.value});
    if (is_bare_) return error;
    return std::move(error).within(std::to_string(violations_.size()) +
                                   (violations_.size() == 1 ? " validation error detected: "
                                                            : " validation errors detected: "));
  }

 private:
  struct Violation {
    std::string text;
    std::string path = {};  // empty: the text is all there is
    std::string constraint = {};
    std::string value = {};  // if the text has it

    static Violation of(const std::string& before, std::string path, std::string_view constraint,
                        std::string value = {}) {
      std::string text = before + "'" + path + "' failed to satisfy constraint: ";
      return {text.append(constraint), std::move(path), std::string(constraint), std::move(value)};
    }
  };

  void only(Violation violation) {
    violations_.clear();
    violations_.push_back(std::move(violation));
    is_bare_ = false;
    closed_ = true;
  }
  void add(Violation violation) {
    if (!closed_ && !is_full()) violations_.push_back(std::move(violation));
  }

  Wording wording_;
  std::vector<Violation> violations_;
  bool closed_ = false;
  bool is_bare_ = false;
};

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
  if (type.table_arn_too && is_arn_of_table(text)) return;
  if (type.max == TypeSpec::kNoMax && type.min == TypeSpec::kNoMin) return;
  const auto length = static_cast<std::int64_t>(utf8_length(text));
  if (length > type.max) {
    return collector.violated(path, node, type, std::string(kLengthMax) + std::to_string(type.max));
  }
  if (type.table_arn_too && collector.wording().is_new() && length < type.min) {
    return collector.only_length(path, type.min);
  }
  if (!collector.wording().is_new() && !text.empty() && length < type.classic_min) {
    collector.out_of_range(path, node, type, kLengthMin, type.classic_min);
  }
  // An empty table name in a data operation reports the length alone (since 2023); other empty
  // names report both.
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
  if (is_arn_of_table(key)) return true;
  return key.size() >= limits::kTableNameCharsMin && key.size() <= limits::kTableNameCharsMax &&
         matches_name_pattern(key);
}

// Wrong keys and sizes of a map's values are reported at the map itself.
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
  return collector.result();
}

}  // namespace stator
