// Items as text of Amazon Ion, as exports to S3 have them (conformance/observed/exports.md).
#pragma once

#include <string>
#include <string_view>

#include "protocol/values/value.h"

namespace stator::data {

// Appends {name:value,…}. Numbers are decimals, sets are lists with an annotation such as
// $dynamodb_SS, binaries are blobs.
void append_ion_item(std::string& out, Item item);

inline constexpr std::string_view kIonVersion = "$ion_1_0";

// Appends $ion_1_0 {Item:{name:value,…}}, a line of an export without its line break.
void append_ion_line(std::string& out, Item item);

}  // namespace stator::data
