// Records of JSON: one a line, or the elements of an array, also of that in a Scan's answer.
#pragma once

#include <memory>

#include "server/data/input_file.h"
#include "server/data/records.h"

namespace stator::data {

// What the file begins with: Csv when that is neither '{' nor '[', Scan when it is an answer with
// `Items`, otherwise Json, which may turn out to be DynamoDB's.
Format recognise(InputFile& file);

// `format`: what recognise() says, or Json or DynamodbJson because it was asked for; Auto: Json or
// DynamodbJson as the first record looks.
std::unique_ptr<RecordReader> make_json_reader(InputFile file, Format format);

// Puts the item of `record.text`, a JSON text, where it belongs, or says what is wrong. `format`
// Auto becomes what the record is.
void read_json_record(Record& record, Format& format);

}  // namespace stator::data
