// Tables in the resources of a serverless.yml.
#pragma once

#include <string>

#include "server/templates/drafts/table_draft.h"

namespace stator::templates {

bool is_serverless(const Node& root);
void read_serverless(Reading& reading, Forest& forest, const Node& root, const std::string& path);

}  // namespace stator::templates
