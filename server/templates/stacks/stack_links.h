// StackLinks: what templates of one command say for each other. The export of one is the import of
// another, and a nested stack has its parameters and conditions from its parent, whose file names
// that of the nested stack.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/templates/stacks/stack.h"

namespace stator::templates {

class StackLinks {
 public:
  // `stacks` are all templates. They must outlive this, and this must outlive their evaluation.
  explicit StackLinks(std::vector<Stack*> stacks);
  StackLinks(const StackLinks&) = delete;
  StackLinks& operator=(const StackLinks&) = delete;

 private:
  // An output of a stack: {"Value": …, "Export": {"Name": …}}.
  struct Output {
    Stack* stack;
    std::string_view id;
    Node node;
  };
  // The resource of a parent that is a nested stack.
  struct Parent {
    Stack* stack;
    std::string_view id;
    Node node;
  };

  void find_parents(Stack& stack);
  void find_exports();
  Told exported(const Stack& importer, std::string_view name);
  Told parameter(Stack& child, std::string_view name);
  Told output(const Stack& parent, std::string_view id, std::string_view name);
  tl::expected<bool, Mistake> is_made(Stack& child);
  // Empty if a condition leaves the output out.
  Told value_of(const Output& output);

  const std::vector<Stack*> stacks_;
  std::map<std::string, Stack*> files_;  // by canonical path
  std::map<Stack*, Parent> parents_;     // by child
  std::optional<std::multimap<std::string, Output, std::less<>>> exports_;
  // What is being evaluated, so that a value of itself is found.
  std::set<std::pair<const Stack*, std::string>> open_;
  std::size_t depth_ = 0;
};

}  // namespace stator::templates
