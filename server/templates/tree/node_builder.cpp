#include "server/templates/tree/node_builder.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace stator::templates {

const Member* duplicate_in(std::span<const Member> members) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(members.size());
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& member) {
    return !seen.insert(member.name).second;
  });
  return found == members.end() ? nullptr : &*found;
}

bool NodeBuilder::fail(Spot spot, std::string text) {
  if (!failure_) failure_ = forest_.mistake(spot, std::move(text));
  return false;
}

bool NodeBuilder::open(bool is_map, Spot spot, Properties properties) {
  if (frames_.size() >= kDepthMax)
    return fail(spot, compose({"it is nested deeper than ", std::to_string(kDepthMax)}));
  if (!frames_.empty() && frames_.back().is_map && !frames_.back().key)
    return fail(spot, "a name is a text, not a list or a map");
  frames_.push_back({is_map, spot, std::move(properties)});
  return true;
}

bool NodeBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Part part;
  part.nodes = frame.nodes;
  part.height = frame.height;
  if (frame.is_map) {
    if (const Member* const twice = duplicate_in(frame.members))
      return fail(twice->spot, compose({"'", twice->name, "' is given twice"}));
    finish_merges(frame);
    const std::span<const Member> members = frame.members;
    part.node = Node::map(forest_.arena().copy(members), frame.spot);
  } else {
    const std::span<const Node> elements = frame.elements;
    part.node = Node::list(forest_.arena().copy(elements), frame.spot);
  }
  is_plain_ = false;
  nodes_ -= frame.nodes - 1;  // add() counts the whole part
  return add(part, frame.properties);
}

bool NodeBuilder::add_scalar(std::string_view text, bool is_string, bool is_plain, Spot spot,
                             const Properties& properties) {
  is_plain_ = is_plain;
  Part part;
  part.node = Node::scalar(forest_.arena().copy(text), is_string, spot);
  return add(part, properties);
}

bool NodeBuilder::add_alias(std::string_view anchor, Spot spot) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end())
    return fail(spot, compose({"no anchor '", anchor, "' ends before this alias"}));
  is_plain_ = false;
  return add(found->second, {});
}

bool NodeBuilder::add(Part part, const Properties& properties) {
  const Spot spot = part.node.spot();
  const bool is_key = !frames_.empty() && frames_.back().is_map && !frames_.back().key;
  if (!properties.function.empty() && !is_key) {
    const Member member{forest_.arena().copy(std::string_view(properties.function)), part.node,
                        spot};
    part.node = Node::map(forest_.arena().copy(std::span<const Member>(&member, 1)), spot);
    ++part.nodes;
    ++part.height;
  }
  nodes_ += part.nodes;
  if (nodes_ > nodes_max_)
    return fail(spot, compose({"it has more than ", std::to_string(nodes_max_),
                               " parts, with its aliases expanded"}));
  if (frames_.size() + part.height > kDepthMax + 1)
    return fail(spot, compose({"it is nested deeper than ", std::to_string(kDepthMax)}));
  if (!properties.anchor.empty()) anchors_.insert_or_assign(properties.anchor, part);
  if (frames_.empty()) {
    root_ = part.node;
    return true;
  }
  Frame& frame = frames_.back();
  frame.nodes += part.nodes;
  frame.height = std::max(frame.height, part.height + 1);
  return add_to(frame, part.node);
}

bool NodeBuilder::add_to(Frame& frame, const Node& node) {
  if (!frame.is_map) {
    frame.elements.push_back(node);
    return true;
  }
  if (!frame.key) return take_key(frame, node);
  if (frame.is_merge) {
    frame.key.reset();
    return merge(frame, node);
  }
  frame.key->value = node;
  frame.members.push_back(*frame.key);
  frame.key.reset();
  return true;
}

bool NodeBuilder::take_key(Frame& frame, const Node& node) {
  if (!node.is_scalar()) return fail(node.spot(), "a name is a text, not a list or a map");
  frame.is_merge = is_plain_ && node.text() == "<<";
  frame.key = Member{node.text(), Node(), node.spot()};
  return true;
}

bool NodeBuilder::merge(Frame& frame, const Node& node) {
  if (node.is_map()) {
    frame.merged.push_back(node);
    return true;
  }
  for (const Node& element : node.elements()) {
    if (!element.is_map()) return fail(element.spot(), "'<<' merges maps only");
    frame.merged.push_back(element);
  }
  return node.is_list() || fail(node.spot(), "'<<' merges a map or a list of maps");
}

// What the map itself has wins, then what is merged first.
void NodeBuilder::finish_merges(Frame& frame) const {
  if (frame.merged.empty()) return;
  std::unordered_set<std::string_view> seen;
  for (const Member& member : frame.members) seen.insert(member.name);
  for (const Node& merged : frame.merged)
    for (const Member& member : merged.members())
      if (seen.insert(member.name).second) frame.members.push_back(member);
}

}  // namespace stator::templates
