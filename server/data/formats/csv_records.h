// Reads CSV (RFC 4180) with a header; quoted cells may contain line breaks and doubled quotes.
//
// Commas, semicolons or tabs are between the cells, as the first line says, unless
// ReadOptions::delimiter does: the first of them with which that line has all keys of the table.
//
// A column is an attribute. Its type is that of a key in the table, or follows a colon in the
// header (NAME:N; S, N, B, BOOL, NULL, SS, NS, BS, L or M), else S. An empty cell means no
// attribute; "" is an empty string. ReadOptions::has_plain_columns differs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "server/data/formats/input_file.h"
#include "server/data/formats/records.h"

namespace stator::data {

// The most columns of a file, read or written.
inline constexpr std::size_t kColumnsMax = 10'000;

// The error is for people; it means that the file has no header.
tl::expected<std::unique_ptr<RecordReader>, std::string> make_csv_reader(
    InputFile file, const ReadOptions& options);

}  // namespace stator::data
