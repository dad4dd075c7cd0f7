// Records of CSV as RFC 4180 has it: a header, quotes doubled in quotes, also line breaks there.
//
// A column is an attribute. Its type is the one that the table knows of a key, behind a colon in
// the header (NAME:N; S, N, B, BOOL, NULL, SS, NS, BS, L or M), else S. A cell with nothing is no
// attribute, one with "" an empty string.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "server/data/input_file.h"
#include "server/data/records.h"

namespace stator::data {

// The error is for people: there is no header.
tl::expected<std::unique_ptr<RecordReader>, std::string> make_csv_reader(
    InputFile file, const ReadOptions& options);

}  // namespace stator::data
