// Reads text of Amazon Ion, an item a line, as exports to S3 have it.
#pragma once

#include <memory>

#include "server/data/formats/input_file.h"
#include "server/data/formats/records.h"

namespace stator::data {

// Whether the file begins with a version of Ion, or with a struct whose first name has no JSON
// quotes.
bool begins_ion(InputFile& file);

std::unique_ptr<RecordReader> make_ion_reader(InputFile file);

// Reads `record.raw`, a line with an item, into `record.item`, or sets `record.problem`.
void read_ion_item(Record& record);
// Reads `record.raw`, a line of an incremental export: `record.item` gets Keys, OldImage and
// NewImage.
void read_ion_change(Record& record);

}  // namespace stator::data
