// Reads the items of a text as those of a file.
#pragma once

#include <string>

#include "server/data/formats/records.h"

namespace stator::data {

// "FORMAT: a=1 b=2 / a=3": the format, then the attributes of each item with the text of their
// value; what is no string or number as JSON. Instead of an item its problem in brackets, "-"
// before the key of an item to delete, and at the end the error of the file.
std::string read_all(std::string text, const ReadOptions& options);

}  // namespace stator::data
