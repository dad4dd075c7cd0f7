// Items as plain JSON: 1 is a number, "x" a string.
#pragma once

#include "server/templates/drafts/table_draft.h"

namespace stator::templates {

// Adds a list of items to the table, as DynamoDB JSON. A mistake is reported.
void add_plain_items(TableDraft& draft, const Node& items);

}  // namespace stator::templates
