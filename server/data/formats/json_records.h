// Reads JSON: objects in lines or one after another, the elements of an array, or what the commands
// of the AWS CLI take and write.
#pragma once

#include <memory>

#include "server/data/formats/input_file.h"
#include "server/data/formats/records.h"

namespace stator::data {

// Guesses the format from the beginning: Ion as begins_ion() says; else Csv if it is neither '{'
// nor '['; otherwise Json, which may turn out to be DynamoDB JSON.
Format recognise(InputFile& file);

// `format` is Scan, Json or DynamodbJson as the user says. Auto: Json or DynamodbJson, decided by
// the first record. Items are where the first object says (JsonForm), unless `options.is_strict`.
std::unique_ptr<RecordReader> make_json_reader(InputFile file, Format format,
                                               const ReadOptions& options);

// Parses `record.text`, a copy of `record.raw`, into `record.item`, or sets `record.problem`, which
// names a column if `is_by_line`. Sets `format` Auto to the record's format.
void read_json_record(Record& record, Format& format, bool is_by_line);

}  // namespace stator::data
