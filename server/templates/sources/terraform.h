// Tables of `terraform show -json`, of a plan or a state, and of `pulumi stack export`. The
// provider of both is the same, so their members are, but for the spelling.
#pragma once

#include "server/templates/drafts/table_draft.h"

namespace stator::templates {

bool is_terraform(const Node& root);
void read_terraform(Reading& reading, Forest& forest, const Node& root);

bool is_pulumi(const Node& root);
void read_pulumi(Reading& reading, Forest& forest, const Node& root);

}  // namespace stator::templates
