// Tables in the resources of a serverless.yml.
#pragma once

#include <memory>
#include <string>

#include "server/templates/stacks/stack.h"

namespace stator::templates {

bool is_serverless(const Node& root);
// Opens the template in it; nullptr if it has none. `root` must outlive the stack.
std::unique_ptr<Stack> open_serverless(Reading& reading, Forest& forest, const Node& root,
                                       const std::string& path);

}  // namespace stator::templates
