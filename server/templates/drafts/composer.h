// Composer: nodes that a source makes, in the form of AWS::DynamoDB::Table, at the place of what
// they are made from.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "server/templates/tree/forest.h"

namespace stator::templates {

class Composer {
 public:
  Composer(Forest& forest, Spot spot) : forest_(forest), spot_(spot) {}

  Node text(std::string_view text) const { return forest_.make_scalar(text, true, spot_); }
  Node truth(bool is_true) const { return Node::scalar(is_true ? "true" : "false", false, spot_); }
  Node list(const std::vector<Node>& elements) const { return forest_.make_list(elements, spot_); }
  Node map(const std::vector<Member>& members) const { return forest_.make_map(members, spot_); }
  // `name` must live as long as the forest, as a literal does.
  Member member(std::string_view name, const Node& value) const { return {name, value, spot_}; }

  // {"AttributeName": …, `second`: …}, which is a key or a definition.
  Node attribute(std::string_view name, std::string_view second, std::string_view value) const {
    return map({member("AttributeName", text(name)), member(second, text(value))});
  }
  // A KeySchema; `range` may be empty.
  Node key_schema(std::string_view hash, std::string_view range) const {
    std::vector<Node> keys = {attribute(hash, "KeyType", "HASH")};
    if (!range.empty()) keys.push_back(attribute(range, "KeyType", "RANGE"));
    return list(keys);
  }
  // A ProvisionedThroughput or the like of two numbers, each of which may be missing.
  Node pair(std::string_view first, const Node* one, std::string_view second,
            const Node* other) const {
    std::vector<Member> members;
    if (one != nullptr) members.push_back(member(first, *one));
    if (other != nullptr) members.push_back(member(second, *other));
    return map(members);
  }

 private:
  Forest& forest_;
  const Spot spot_;
};

// Adds a member if the map `from` has one of that name, perhaps with another name there.
inline void pass_on(std::vector<Member>& members, const Node& from, std::string_view name,
                    std::string_view name_there = {}) {
  if (const Node* const found = from.find(name_there.empty() ? name : name_there))
    members.push_back({name, *found, found->spot()});
}

}  // namespace stator::templates
