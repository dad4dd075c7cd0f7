// RecordFilter::matches() and explain(): a walk over pattern and record together. Each pair of a
// node of the pattern and one of the record at the same path is met once, so the time is at most
// the product of both sizes. Depth is bounded by that of JSON texts.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/text/utf8.h"
#include "streams/filters/filter_tree.h"
#include "streams/filters/leaf_tests.h"

namespace stator {
namespace filters {
namespace {

constexpr std::size_t kShownBytesMax = 200;

bool is_array(const JsonNode& node) { return node.kind() == JsonNode::Kind::Array; }
bool is_map(const JsonNode& node) { return node.kind() == JsonNode::Kind::Object; }

// The last member of the name, null or not; nullptr if there is none.
const JsonNode* find_member(const JsonNode* node, std::string_view name) {
  if (node == nullptr || !is_map(*node)) return nullptr;
  const auto members = node->members();
  for (std::size_t i = members.size(); i-- > 0;) {
    if (is_same_name(members[i].name, name)) return &members[i].value;
  }
  return nullptr;
}

bool has_scalar(const JsonNode& node) {
  if (is_map(node)) return false;
  if (!is_array(node)) return true;
  const auto all = node.elements();
  return std::any_of(all.begin(), all.end(), has_scalar);
}

// Whether there is a leaf at the path, in any element of the lists on the way.
bool has_leaf(const JsonNode& node, std::span<const std::string> path) {
  if (is_array(node)) {
    const auto all = node.elements();
    return std::any_of(all.begin(), all.end(),
                       [&](const JsonNode& element) { return has_leaf(element, path); });
  }
  if (path.empty()) return has_scalar(node);
  const JsonNode* const member = find_member(&node, path.front());
  return member != nullptr && has_leaf(*member, path.subspan(1));
}

std::string shown(const JsonNode& node) {
  std::string text;
  append_node_json(text, node);
  if (text.size() <= kShownBytesMax) return text;
  return std::string(utf8_prefix(text, kShownBytesMax)).append("…");
}

class FilterMatcher {
 public:
  FilterMatcher(const RecordFilter::Compiled& compiled, const JsonNode& record)
      : compiled_(compiled), record_(record), is_absent_(compiled.absences.size()) {}

  bool matches(const ObjectPattern& object, const JsonNode* node) {
    if (node != nullptr && is_array(*node) && !node->elements().empty()) {
      const auto all = node->elements();
      return std::any_of(all.begin(), all.end(),
                         [&](const JsonNode& element) { return matches(object, &element); });
    }
    return std::all_of(object.fields.begin(), object.fields.end(),
                       [&](const FieldPattern& field) {
                         return matches_field(field, find_member(node, field.name));
                       }) &&
           std::all_of(object.alternatives.begin(), object.alternatives.end(),
                       [&](const auto& alternatives) { return matches_any(alternatives, node); });
  }

  std::optional<RecordFilter::Mismatch> explain(const ObjectPattern& object, const JsonNode* node) {
    const bool is_list = node != nullptr && is_array(*node) && !node->elements().empty();
    if (is_list && node->elements().size() > 1) {
      if (matches(object, node)) return std::nullopt;
      return mismatch("no element of the list matches all fields");
    }
    if (is_list) return explain(object, &node->elements().front());
    for (const FieldPattern& field : object.fields) {
      const JsonNode* const value = find_member(node, field.name);
      if (matches_field(field, value)) continue;
      path_.emplace_back(field.name);
      return field.inner == nullptr ? mismatch(leaf_reason(field, value))
                                    : explain(*field.inner, value);
    }
    for (const auto& alternatives : object.alternatives) {
      if (matches_any(alternatives, node)) continue;
      path_.emplace_back("$or");
      return mismatch("none of the alternatives matches");
    }
    return std::nullopt;
  }

 private:
  bool matches_any(const std::vector<ObjectPattern>& alternatives, const JsonNode* node) {
    return std::any_of(alternatives.begin(), alternatives.end(),
                       [&](const ObjectPattern& one) { return matches(one, node); });
  }

  bool matches_field(const FieldPattern& field, const JsonNode* value) {
    if (field.inner != nullptr) return matches(*field.inner, value);
    return std::any_of(field.any_of.begin(), field.any_of.end(), [&](const LeafTest& test) {
      if (test.kind == TestKind::Absent) return is_absent(test.absence);
      return value != nullptr && passes_any(test, *value);
    });
  }

  static bool passes_any(const LeafTest& test, const JsonNode& value) {
    if (is_map(value)) return false;
    if (!is_array(value)) return passes(test, value);
    const auto all = value.elements();
    return std::any_of(all.begin(), all.end(),
                       [&](const JsonNode& element) { return passes_any(test, element); });
  }

  bool is_absent(std::size_t place) {
    auto& known = is_absent_[place];
    if (!known) known = !has_leaf(record_, compiled_.absences[place]);
    return *known;
  }

  RecordFilter::Mismatch mismatch(std::string reason) const {
    std::string path;
    for (const std::string_view name : path_) {
      if (!path.empty()) path.push_back('.');
      path.append(name);
    }
    return {std::move(path), std::move(reason)};
  }

  static std::string leaf_reason(const FieldPattern& field, const JsonNode* value) {
    std::string reason("the pattern wants ");
    reason.append(field.wanted).append(", the record has ");
    reason.append(value == nullptr ? "no such field" : shown(*value));
    const bool asks_for_number =
        std::any_of(field.any_of.begin(), field.any_of.end(), [](const LeafTest& test) {
          return test.kind == TestKind::Numeric || test.kind == TestKind::Number;
        });
    if (field.name == "N" && asks_for_number) {
      reason.append("; an N is a string in DynamoDB JSON, so numeric and numbers never match it");
    } else if (value != nullptr && is_map(*value)) {
      reason.append("; a leaf never matches an object: does the path lack the type, such as S?");
    }
    return reason;
  }

  const RecordFilter::Compiled& compiled_;
  const JsonNode& record_;
  std::vector<std::optional<bool>> is_absent_;  // found out once for each path
  std::vector<std::string_view> path_;
};

}  // namespace
}  // namespace filters

bool RecordFilter::matches(const JsonNode& record) const {
  return filters::FilterMatcher(*compiled_, record).matches(compiled_->root, &record);
}

std::optional<RecordFilter::Mismatch> RecordFilter::explain(const JsonNode& record) const {
  return filters::FilterMatcher(*compiled_, record).explain(compiled_->root, &record);
}

}  // namespace stator
