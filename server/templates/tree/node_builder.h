// NodeBuilder: nodes from the events of YAML, with a stack of its own instead of recursion.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/templates/tree/forest.h"

namespace stator::templates {

// The member that is given twice, or nullptr.
const Member* duplicate_in(std::span<const Member> members);

class NodeBuilder {
 public:
  // What stands before a value: the function of its tag and the name of its anchor, if any.
  struct Properties {
    std::string function;
    std::string anchor;
  };

  NodeBuilder(Forest& forest, std::size_t nodes_max) : forest_(forest), nodes_max_(nodes_max) {}

  // Each returns false on a mistake, which failure() then has.
  bool open(bool is_map, Spot spot, Properties properties);
  bool close();
  // `is_plain`: without quotes, so that `<<` as a key merges.
  bool add_scalar(std::string_view text, bool is_string, bool is_plain, Spot spot,
                  const Properties& properties);
  bool add_alias(std::string_view anchor, Spot spot);

  // Nothing before the end of the document.
  const Node& root() const { return root_; }
  const std::optional<Mistake>& failure() const { return failure_; }
  Mistake mistake(Spot spot, std::string text) const {
    return forest_.mistake(spot, std::move(text));
  }

 private:
  // A finished part, with what it costs a further time.
  struct Part {
    Node node;
    std::size_t nodes = 1;
    std::size_t height = 1;
  };
  struct Frame {
    bool is_map;
    Spot spot;
    Properties properties;
    std::size_t nodes = 1;
    std::size_t height = 1;
    std::vector<Node> elements = {};
    std::vector<Member> members = {};
    std::vector<Node> merged = {};   // what `<<` names
    std::optional<Member> key = {};  // waits for its value
    bool is_merge = false;           // the key is `<<`
  };

  bool fail(Spot spot, std::string text);
  bool add(Part part, const Properties& properties);
  bool add_to(Frame& frame, const Node& node);
  bool take_key(Frame& frame, const Node& node);
  bool merge(Frame& frame, const Node& node);
  void finish_merges(Frame& frame) const;

  Forest& forest_;
  const std::size_t nodes_max_;
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::map<std::string, Part, std::less<>> anchors_;
  bool is_plain_ = false;  // whether the scalar being added is
  Node root_;
  std::optional<Mistake> failure_;
};

}  // namespace stator::templates
