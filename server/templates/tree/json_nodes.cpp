#include "server/templates/tree/json_nodes.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/json/json_mistake.h"
#include "protocol/json/json_reader.h"
#include "server/templates/tree/node_builder.h"

namespace stator::templates {
namespace {

using JsonKind = JsonNode::Kind;

// Of a longer run of numbers or booleans in an array, protocol/json retains the first alone.
constexpr std::size_t kRunMax = 4000;

class JsonNodes {
 public:
  JsonNodes(Forest& forest, std::uint16_t file, std::string& text)
      : forest_(forest), file_(file), text_(text) {
    // Before the text is read, because a string can contain a line break afterwards.
    for (std::size_t at = 0; at < text.size(); ++at)
      if (text[at] == '\n') breaks_.push_back(at);
  }

  tl::expected<Node, Mistake> read() {
    std::size_t error_at = 0;
    // The nodes refer to strings in the text alone, so this arena can go.
    Arena arena;
    const auto root = read_json(text_, arena, &error_at);
    if (!root) {
      const std::string mistake = json_mistake(text_, error_at);
      return tl::unexpected(forest_.mistake(
          spot_of(error_at),
          compose({"this is no valid JSON", mistake.empty() ? "" : ": ", mistake})));
    }
    if (is_deeper_than(*root, kDepthMax)) {
      return tl::unexpected(forest_.mistake(
          {file_, 0, 0}, compose({"it is nested deeper than ", std::to_string(kDepthMax)})));
    }
    const Node node = convert(*root, {file_, 1, 1});
    if (failure_) return tl::unexpected(*failure_);
    return node;
  }

 private:
  Spot spot_of(std::size_t offset) const {
    const auto next = std::lower_bound(breaks_.begin(), breaks_.end(), offset);
    const std::size_t start = next == breaks_.begin() ? 0 : *std::prev(next) + 1;
    return {file_, static_cast<std::uint32_t>(next - breaks_.begin() + 1),
            static_cast<std::uint32_t>(offset - start + 1)};
  }
  std::size_t offset_of(std::string_view text) const {
    return static_cast<std::size_t>(text.data() - text_.data());
  }
  // A string's place is that of its quote.
  Spot spot_of_string(std::string_view text) const {
    const std::size_t offset = offset_of(text);
    return spot_of(offset == 0 ? 0 : offset - 1);
  }

  // Where a container opens: the bracket before its first string or number; `otherwise` without.
  Spot spot_of_container(const JsonNode& node, Spot otherwise) const {
    const JsonNode* inner = &node;
    std::size_t brackets = 0;
    while (inner->kind() == JsonKind::Array && !inner->elements().empty()) {
      inner = inner->elements().data();
      ++brackets;
    }
    std::size_t at = 0;
    if (inner->kind() == JsonKind::Object && !inner->members().empty()) {
      at = offset_of(inner->members().front().name) - 1;
      ++brackets;
    } else if (inner->kind() == JsonKind::String) {
      at = offset_of(inner->text()) - 1;
    } else if (inner->kind() == JsonKind::Integer || inner->kind() == JsonKind::Decimal) {
      at = offset_of(inner->text());
    } else {
      return otherwise;
    }
    // Only brackets and white space lie between.
    while (brackets > 0 && at > 0)
      if (text_[--at] == '[' || text_[at] == '{') --brackets;
    return spot_of(at);
  }

  Node fail(Spot spot, std::string text) {
    if (!failure_) failure_ = forest_.mistake(spot, std::move(text));
    return Node();
  }

  // `otherwise` is the place of a node that has none. At most kDepthMax deep.
  Node convert(const JsonNode& node, Spot otherwise) {
    if (failure_) return Node();
    if (++nodes_ > kJsonNodesMax) {
      return fail(otherwise,
                  compose({"it has more than ", std::to_string(kJsonNodesMax), " parts"}));
    }
    switch (node.kind()) {
      case JsonKind::Null:
        return Node::scalar("null", false, otherwise);
      case JsonKind::False:
        return Node::scalar("false", false, otherwise);
      case JsonKind::True:
        return Node::scalar("true", false, otherwise);
      case JsonKind::Integer:
      case JsonKind::Decimal:
        return Node::scalar(node.text(), false, spot_of(offset_of(node.text())));
      case JsonKind::String:
        return Node::scalar(node.text(), true, spot_of_string(node.text()));
      case JsonKind::Array:
        return convert_array(node, spot_of_container(node, otherwise));
      case JsonKind::Object:
        return convert_object(node, spot_of_container(node, otherwise));
    }
    return Node();
  }

  Node convert_array(const JsonNode& array, Spot spot) {
    std::vector<Node> elements;
    elements.reserve(array.elements().size());
    for (const JsonNode& element : array.elements()) {
      const bool is_short = element.kind() != JsonKind::Null && element.kind() < JsonKind::String;
      if (is_short && elements.size() > kRunMax)
        return fail(spot, compose({"a list of more than ", std::to_string(kRunMax),
                                   " numbers or booleans cannot be read"}));
      elements.push_back(convert(element, spot));
    }
    const std::span<const Node> all = elements;
    return Node::list(forest_.arena().copy(all), spot);
  }

  Node convert_object(const JsonNode& object, Spot spot) {
    std::vector<Member> members;
    members.reserve(object.members().size());
    for (const JsonMember& member : object.members()) {
      const Spot name_spot = spot_of_string(member.name);
      members.push_back({member.name, convert(member.value, name_spot), name_spot});
    }
    if (const Member* const twice = duplicate_in(members))
      return fail(twice->spot, compose({"\"", twice->name, "\" is given twice"}));
    const std::span<const Member> all = members;
    return Node::map(forest_.arena().copy(all), spot);
  }

  Forest& forest_;
  const std::uint16_t file_;
  std::string& text_;
  std::vector<std::size_t> breaks_;
  std::size_t nodes_ = 0;
  std::optional<Mistake> failure_;
};

}  // namespace

tl::expected<Node, Mistake> read_json_nodes(Forest& forest, std::uint16_t file, std::string text) {
  text.reserve(text.size() + kJsonSpareBytes);
  return JsonNodes(forest, file, forest.hold(std::move(text))).read();
}

}  // namespace stator::templates
