// Stack: an opened template whose tables CloudFormation makes, with what evaluates it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/templates/stacks/cloudformation.h"
#include "server/templates/stacks/serverless_variables.h"

namespace stator::templates {

struct Stack {
  // `reading` and `forest` must outlive the stack.
  Stack(Reading& reading, Forest& forest, const Node& root_node, std::string path_given,
        std::string name)
      : path(std::move(path_given)),
        root(root_node),
        evaluator(forest, root, reading.options, std::move(name)),
        reader(reading, evaluator, root) {}

  const std::string path;
  const Node root;
  std::unique_ptr<ServerlessVariables> variables = {};  // of a serverless.yml
  Evaluator evaluator;
  CloudformationReader reader;
};

}  // namespace stator::templates
