// What kind of template a file is, by its content.
#pragma once

#include <cstdint>
#include <string>

#include "server/templates/tree/node.h"

namespace stator::templates {

enum class TemplateKind : std::uint8_t {
  Cloudformation,
  Serverless,
  Terraform,
  Pulumi,
  Workbench,
  TableJson,
  Unknown,
};

TemplateKind kind_of(const Node& root);

// What to do with a file that is none of them, for people. `root` may be Nothing, for a file that
// is neither YAML nor JSON.
std::string advice_for(const Node& root, const std::string& path);

}  // namespace stator::templates
