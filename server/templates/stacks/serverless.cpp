#include "server/templates/stacks/serverless.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "server/templates/drafts/composer.h"

namespace stator::templates {
namespace {

constexpr std::array<std::string_view, 5> kSections = {"Parameters", "Mappings", "Conditions",
                                                       "Resources", "Outputs"};

// Puts `resources`, a map or a list of maps that are merged, together as one template.
class ResourcesMerge {
 public:
  ResourcesMerge(Reading& reading, Forest& forest, ServerlessVariables& variables)
      : reading_(reading), forest_(forest), variables_(variables) {}

  Node merge(const Node& resources) {
    if (const auto opened = open(resources)) {
      if (opened->is_list()) {
        for (const Node& element : opened->elements())
          if (const auto part = open(element)) add(*part);
      } else {
        add(*opened);
      }
    }
    const Composer composer(forest_, resources.spot());
    std::vector<Member> sections;
    for (std::size_t i = 0; i < kSections.size(); ++i)
      sections.push_back(composer.member(kSections[i], composer.map(members_[i])));
    return composer.map(sections);
  }

 private:
  // A node's own variable; empty after a mistake. What is not read may have tables.
  std::optional<Node> open(const Node& node) {
    auto opened = variables_.expand(node);
    if (opened) return *opened;
    reading_.mistakes.push_back(opened.error());
    return std::nullopt;
  }

  void add(const Node& part) {
    for (std::size_t i = 0; i < kSections.size(); ++i) {
      const Node* const section = part.find(kSections[i]);
      if (section == nullptr) continue;
      const auto opened = open(*section);
      if (!opened) continue;
      for (const Member& member : opened->members()) add_member(members_[i], member);
    }
  }

  void add_member(std::vector<Member>& members, const Member& member) {
    const bool is_known = std::any_of(members.begin(), members.end(), [&](const Member& other) {
      return other.name == member.name;
    });
    if (!is_known) return members.push_back(member);
    reading_.mistakes.push_back(forest_.mistake(
        member.spot, compose({"'", member.name, "' is in two parts of resources"})));
  }

  Reading& reading_;
  Forest& forest_;
  ServerlessVariables& variables_;
  std::array<std::vector<Member>, kSections.size()> members_;
};

// As Serverless names the stack: SERVICE-STAGE, unless the file has a name.
std::string stack_name_of(const Node& root, const ReadOptions& options,
                          ServerlessVariables& variables) {
  if (!options.stack_name.empty()) return options.stack_name;
  const auto own = variables.at_path(root, "provider.stackName");
  if (own && *own) return std::string((*own)->text());
  auto service = variables.at_path(root, "service");
  if (service && *service && (*service)->is_map())
    service = variables.at_path(root, "service.name");
  const auto stage = variables.stage();
  if (!service || !*service || !stage) return "service";
  return compose({(*service)->text(), "-", *stage});
}

}  // namespace

bool is_serverless(const Node& root) {
  return root.find("service") != nullptr && root.find("provider") != nullptr;
}

std::unique_ptr<Stack> open_serverless(Reading& reading, Forest& forest, const Node& root,
                                       const std::string& path) {
  reading.takes_any_parameter = true;
  const Node* const resources = root.find("resources");
  if (resources == nullptr) return nullptr;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  auto variables = std::make_unique<ServerlessVariables>(forest, root, reading.options, folder);
  const Node merged = ResourcesMerge(reading, forest, *variables).merge(*resources);
  auto stack = std::make_unique<Stack>(reading, forest, merged, path,
                                       stack_name_of(root, reading.options, *variables));
  stack->evaluator.set_expand(
      [&known = *variables](const Node& scalar) { return known.expand(scalar); });
  stack->variables = std::move(variables);
  return stack;
}

}  // namespace stator::templates
