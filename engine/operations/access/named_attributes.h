// The attributes that a request names: dynamodb:Attributes. Of a nested path its first name.
#pragma once

#include "engine/operations/access/text_set.h"
#include "engine/operations/resources.h"
#include "protocol/memory/arena.h"

namespace stator {

// Adds the names in the resource's key or item, in its expressions and in its statement.
void add_named_attributes(const Resource& resource, TextSet& names, Arena& scratch);

}  // namespace stator
