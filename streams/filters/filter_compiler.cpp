// compile_filter(): the JSON of a pattern becomes a tree of tests.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "streams/filters/filter_tree.h"
#include "streams/filters/leaf_tests.h"

namespace stator {
namespace filters {
namespace {

// An item of 32 levels needs about 70.
constexpr std::size_t kPatternDepthMax = 100;
constexpr std::string_view kDataKey = "dynamodb";
constexpr std::string_view kOr = "$or";

template <class Value>
using Compiling = tl::expected<Value, FilterFault>;

// An operator whose operand is one text.
struct TextOperator {
  std::string_view name;
  TestKind kind;
  TestKind kind_ignoring_case;  // of {"equals-ignore-case": text} as operand; Null: not taken
};
constexpr std::array<TextOperator, 4> kTextOperators = {{
    {"prefix", TestKind::Prefix, TestKind::PrefixIgnoringCase},
    {"suffix", TestKind::Suffix, TestKind::SuffixIgnoringCase},
    {"equals-ignore-case", TestKind::EqualsIgnoringCase, TestKind::Null},
    {"wildcard", TestKind::Wildcard, TestKind::Null},
}};
constexpr std::array<std::string_view, 4> kOtherOperators = {"anything-but", "numeric", "exists",
                                                             "cidr"};

const TextOperator* find_text_operator(std::string_view name) {
  const auto* const found = std::find_if(kTextOperators.begin(), kTextOperators.end(),
                                         [&](const TextOperator& one) { return one.name == name; });
  return found == kTextOperators.end() ? nullptr : found;
}

bool is_operator(std::string_view name) {
  return find_text_operator(name) != nullptr ||
         std::find(kOtherOperators.begin(), kOtherOperators.end(), name) != kOtherOperators.end();
}

bool is_text(const JsonNode& node) { return node.kind() == JsonNode::Kind::String; }
bool is_list(const JsonNode& node) { return node.kind() == JsonNode::Kind::Array; }
bool is_object(const JsonNode& node) { return node.kind() == JsonNode::Kind::Object; }
bool is_numeral(const JsonNode& node) {
  return node.kind() == JsonNode::Kind::Integer || node.kind() == JsonNode::Kind::Decimal;
}

// Whether the value of a member $or is alternatives, and not a field of that name.
bool has_alternatives(const JsonNode& node) {
  if (!is_list(node) || node.elements().size() < 2) return false;
  const auto all = node.elements();
  return std::all_of(all.begin(), all.end(), [](const JsonNode& one) {
    if (!is_object(one)) return false;
    const auto members = one.members();
    return std::none_of(members.begin(), members.end(),
                        [](const JsonMember& member) { return is_operator(member.name); });
  });
}

class FilterCompiler {
 public:
  Compiling<std::shared_ptr<const RecordFilter::Compiled>> compile(const JsonNode& root) {
    if (!is_object(root)) return fault("a pattern is a JSON object");
    if (is_deeper_than(root, kPatternDepthMax)) return fault("the pattern is nested too deep");
    auto object = read_object(root);
    if (!object) return tl::unexpected(std::move(object).error());
    compiled_->root = *std::move(object);
    return compiled_;
  }

 private:
  tl::unexpected<FilterFault> fault(std::string reason) const {
    std::string path;
    for (const std::string& name : path_) {
      if (!path.empty()) path.push_back('.');
      path.append(name);
    }
    return tl::unexpected(FilterFault{std::move(path), std::move(reason)});
  }

  Compiling<ObjectPattern> read_object(const JsonNode& node) {
    ObjectPattern object;
    const auto members = node.members();
    if (members.empty()) return fault("an object of a pattern has a field");
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto& [name, value] = members[i];
      // Of a repeated name the last one counts.
      const bool is_repeated =
          std::any_of(members.begin() + static_cast<std::ptrdiff_t>(i) + 1, members.end(),
                      [&, &name = name](const JsonMember& later) { return later.name == name; });
      if (is_repeated) continue;
      if (name == kOr && has_alternatives(value)) {
        auto alternatives = read_alternatives(value);
        if (!alternatives) return tl::unexpected(std::move(alternatives).error());
        object.alternatives.push_back(*std::move(alternatives));
        continue;
      }
      auto field = read_field(name, value);
      if (!field) return tl::unexpected(std::move(field).error());
      object.fields.push_back(*std::move(field));
    }
    return object;
  }

  Compiling<std::vector<ObjectPattern>> read_alternatives(const JsonNode& node) {
    std::vector<ObjectPattern> alternatives;
    for (const JsonNode& element : node.elements()) {
      auto object = read_object(element);
      if (!object) return tl::unexpected(std::move(object).error());
      alternatives.push_back(*std::move(object));
    }
    return alternatives;
  }

  Compiling<FieldPattern> read_field(std::string_view name, const JsonNode& value) {
    path_.emplace_back(name);
    FieldPattern field{.name = std::string(name)};
    if (is_object(value)) {
      auto inner = read_object(value);
      if (!inner) return tl::unexpected(std::move(inner).error());
      field.inner = std::make_shared<const ObjectPattern>(*std::move(inner));
    } else {
      if (!is_list(value) || value.elements().empty())
        return fault("a field of a pattern is an object or a list that is not empty");
      if (path_.size() == 1 && name == kDataKey) return fault("dynamodb is to be an object");
      for (const JsonNode& element : value.elements()) {
        auto test = read_test(element);
        if (!test) return tl::unexpected(std::move(test).error());
        field.any_of.push_back(*std::move(test));
      }
      append_node_json(field.wanted, value);
    }
    path_.pop_back();
    return field;
  }

  Compiling<LeafTest> read_literal(const JsonNode& node) {
    switch (node.kind()) {
      case JsonNode::Kind::Null:
        return LeafTest{.kind = TestKind::Null};
      case JsonNode::Kind::True:
        return LeafTest{.kind = TestKind::True};
      case JsonNode::Kind::False:
        return LeafTest{.kind = TestKind::False};
      case JsonNode::Kind::String:
        return LeafTest{.kind = TestKind::String, .text = std::string(node.text())};
      case JsonNode::Kind::Integer:
      case JsonNode::Kind::Decimal:
        break;
      default:
        return fault("a list of a pattern has no list in it");
    }
    auto number = ordered_number(node.text());
    if (!number) return fault("the number has more than 38 digits or is out of range");
    return LeafTest{.kind = TestKind::Number, .text = *std::move(number)};
  }

  Compiling<LeafTest> read_test(const JsonNode& node) {
    if (!is_object(node)) return read_literal(node);
    if (node.members().size() != 1) return fault("an element of a list has exactly one operator");
    const auto& [name, operand] = node.members().front();
    if (const TextOperator* const known = find_text_operator(name))
      return read_text_test(*known, operand);
    if (name == "exists") return read_existence(operand);
    if (name == "numeric") return read_numeric(operand);
    if (name == "anything-but") return read_anything_but(operand);
    if (name == "cidr") return read_cidr(operand);
    return fault(std::string("there is no operator ").append(name));
  }

  Compiling<LeafTest> read_text_test(const TextOperator& known, const JsonNode& operand) {
    if (is_text(operand)) {
      if (known.kind == TestKind::Wildcard && !is_wildcard(operand.text()))
        return fault("a wildcard has no ** and a backslash only before * and \\");
      const bool ignores_case = known.kind == TestKind::EqualsIgnoringCase;
      return LeafTest{
          .kind = known.kind,
          .text = ignores_case ? ascii_lower(operand.text()) : std::string(operand.text())};
    }
    const bool takes_object = known.kind_ignoring_case != TestKind::Null && is_object(operand) &&
                              operand.members().size() == 1;
    if (!takes_object) return wrong_operand(known.name, "a string");
    const auto& [name, inner] = operand.members().front();
    if (name != "equals-ignore-case" || !is_text(inner))
      return wrong_operand(known.name, "a string or {\"equals-ignore-case\": string}");
    return LeafTest{.kind = known.kind_ignoring_case, .text = ascii_lower(inner.text())};
  }

  Compiling<LeafTest> read_existence(const JsonNode& operand) {
    if (operand.kind() == JsonNode::Kind::True) return LeafTest{.kind = TestKind::Exists};
    if (operand.kind() != JsonNode::Kind::False) return wrong_operand("exists", "true or false");
    compiled_->absences.push_back(path_);
    return LeafTest{.kind = TestKind::Absent, .absence = compiled_->absences.size() - 1};
  }

  Compiling<LeafTest> read_cidr(const JsonNode& operand) {
    auto block = is_text(operand) ? parse_block(operand.text()) : std::nullopt;
    if (!block) return wrong_operand("cidr", "an address, a slash and a number of bits");
    return LeafTest{.kind = TestKind::Cidr, .block = *block};
  }

  // [=, n], [bound, n] or [lower bound, n, upper bound, n].
  Compiling<LeafTest> read_numeric(const JsonNode& operand) {
    const auto terms = is_list(operand) ? operand.elements() : std::span<const JsonNode>();
    if (terms.size() != 2 && terms.size() != 4)
      return wrong_operand("numeric", "a list of an operator and a number, or of two such pairs");
    LeafTest test{.kind = TestKind::Numeric};
    for (std::size_t i = 0; i < terms.size(); i += 2) {
      auto added = add_bound(terms[i], terms[i + 1], test);
      if (!added) return tl::unexpected(std::move(added).error());
    }
    const bool is_range = terms.size() == 4;
    if (is_range && (terms[0].text() == "=" || terms[2].text() == "=" || !test.low || !test.high ||
                     !terms[0].text().starts_with('>')))
      return fault("a range of numeric is a lower bound, then an upper bound");
    if (is_range && test.low->number >= test.high->number)
      return fault("a range of numeric has a lower bound that is below the upper one");
    return test;
  }

  Compiling<void> add_bound(const JsonNode& sign, const JsonNode& numeral, LeafTest& test) {
    auto number = is_numeral(numeral) ? ordered_number(numeral.text()) : std::nullopt;
    if (!is_text(sign) || !number)
      return wrong_operand("numeric", "pairs of an operator and a number");
    const std::string_view text = sign.text();
    const NumberBound bound{.number = *std::move(number), .is_inclusive = text.ends_with('=')};
    if (text == "=" || text == ">" || text == ">=") test.low = bound;
    if (text == "=" || text == "<" || text == "<=") test.high = bound;
    if (text != "=" && text != ">" && text != ">=" && text != "<" && text != "<=")
      return fault("numeric has the operators =, <, <=, > and >=");
    return {};
  }

  Compiling<LeafTest> read_anything_but(const JsonNode& operand) {
    constexpr std::string_view kWanted =
        "a string, a number, a list of one of both, or an object with one operator on strings";
    LeafTest test{.kind = TestKind::AnythingBut};
    if (is_object(operand)) {
      const auto members = operand.members();
      const TextOperator* const known =
          members.size() == 1 ? find_text_operator(members.front().name) : nullptr;
      if (known == nullptr) return wrong_operand("anything-but", kWanted);
      return read_none_of(*known, members.front().value);
    }
    const std::span<const JsonNode> all =
        is_list(operand) ? operand.elements() : std::span<const JsonNode>(&operand, 1);
    const bool is_of_one_kind = !all.empty() && (std::all_of(all.begin(), all.end(), is_text) ||
                                                 std::all_of(all.begin(), all.end(), is_numeral));
    if (!is_of_one_kind) return wrong_operand("anything-but", kWanted);
    for (const JsonNode& one : all) {
      auto literal = read_literal(one);
      if (!literal) return literal;
      test.none_of.push_back(*std::move(literal));
    }
    return test;
  }

  // {"anything-but": {"prefix": …}} and the like.
  Compiling<LeafTest> read_none_of(const TextOperator& known, const JsonNode& operand) {
    LeafTest test{.kind = TestKind::AnythingBut};
    const std::span<const JsonNode> all =
        is_list(operand) ? operand.elements() : std::span<const JsonNode>(&operand, 1);
    if (all.empty()) return wrong_operand(known.name, "a string or a list of strings");
    for (const JsonNode& one : all) {
      const bool is_empty_affix =
          known.kind_ignoring_case != TestKind::Null && is_text(one) && one.text().empty();
      if (is_empty_affix) return fault("every string has the empty prefix and the empty suffix");
      auto inner = read_text_test(known, one);
      if (!inner) return inner;
      test.none_of.push_back(*std::move(inner));
    }
    return test;
  }

  tl::unexpected<FilterFault> wrong_operand(std::string_view name, std::string_view wanted) const {
    std::string reason("the operand of ");
    return fault(reason.append(name).append(" is to be ").append(wanted));
  }

  std::vector<std::string> path_;
  std::shared_ptr<RecordFilter::Compiled> compiled_ = std::make_shared<RecordFilter::Compiled>();
};

}  // namespace
}  // namespace filters

tl::expected<RecordFilter, FilterFault> compile_filter(std::string_view pattern) {
  if (pattern.size() > kFilterPatternBytesMax)
    return tl::unexpected(FilterFault{{}, "the pattern is too long"});
  std::string text(pattern);
  Arena arena;
  const auto root = read_json(text, arena);
  if (!root) return tl::unexpected(FilterFault{{}, "the pattern is not JSON"});
  auto compiled = filters::FilterCompiler().compile(*root);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  return RecordFilter(*std::move(compiled));
}

}  // namespace stator
