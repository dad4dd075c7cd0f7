// Reads JSON: one item per line, or the elements of an array, such as Items of a Scan response.
#pragma once

#include <memory>

#include "server/data/formats/input_file.h"
#include "server/data/formats/records.h"

namespace stator::data {

// Guesses the format from the beginning: Ion as begins_ion() says; else Csv if it is neither '{'
// nor
// '['; Scan for a response with `Items`; otherwise Json, which may turn out to be DynamoDB JSON.
Format recognise(InputFile& file);

// `format` is the result of recognise(), or Json or DynamodbJson from the user. Auto: Json or
// DynamodbJson, decided by the first record.
std::unique_ptr<RecordReader> make_json_reader(InputFile file, Format format);

// Parses `record.text` into `record.item`, or sets `record.problem`. Sets `format` Auto to the
// record's format.
void read_json_record(Record& record, Format& format);

}  // namespace stator::data
