// Records: the items of an imported file, in any format.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "server/data/formats/input_file.h"
#include "server/data/packing/packing.h"

namespace stator::data {

enum class Format : std::uint8_t {
  Auto,          // as the content says
  Json,          // plain JSON: JSON Lines or an array
  DynamodbJson,  // as Json, but attribute values have types; also as {"Item":{…}}
  Csv,
  Ion,     // text of Amazon Ion, {Item:{…}} in each line
  Scan,    // the output of `aws dynamodb scan`
  Export,  // a folder of DynamoDB's export to S3
};

std::string_view format_name(Format format);

struct Record {
  std::uint64_t line = 0;  // where it begins, from 1
  std::string raw;         // its text, for the file of rejects; may contain line breaks
  std::string problem;     // why it is invalid; if empty, `item` is set
  bool is_delete = false;  // `item` is the key of an item to delete
  JsonNode item;           // attribute values by name, in `text` and `arena`
  std::string text;
  Arena arena;
};

// How to read a file.
struct ReadOptions {
  Format format = Format::Auto;
  std::optional<Packing> packing;   // absent: as the content says
  std::optional<char> delimiter;    // of CSV; absent: as the first line says
  std::vector<std::string> header;  // column names; empty: the first line has them
  // Types of key attributes, from the table: "S", "N" or "B".
  std::map<std::string, std::string, std::less<>> types;
  // Types of CSV columns, from the user.
  std::map<std::string, std::string, std::less<>> column_types;
  std::vector<std::string> keys;  // attributes that every item must have
  bool may_be_empty = false;      // an empty file has no items and is no error
  // CSV as ImportTable reads it: a column's name has no type, and empty cells of columns that are
  // no keys are empty strings.
  bool has_plain_columns = false;
  std::string table;  // that the items are for; empty: unknown
  // Only what ImportTable reads: no objects around items, no UTF-16.
  bool is_strict = false;
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // Reads the next record. Returns false at the end and on an error, see error().
  virtual bool next(Record& record) = 0;
  // The error for people; empty if none.
  virtual std::string error() const = 0;
  // The file being read, which may be inside the named folder.
  virtual std::string path() const = 0;
  // Progress in bytes on the disk; the total is 0 if unknown.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
  // "CSV with tabs"; of JSON all of it is known after the first record.
  virtual std::string format_text() const = 0;
  // CSV columns without a type in which all cells look like numbers. They became strings.
  virtual std::vector<std::string> number_like() const { return {}; }
  // A line that a file of rejects must begin with to be readable; empty if none.
  virtual std::string head() const { return {}; }
};

// Reads the items of an open file or object. The error is for people.
tl::expected<std::unique_ptr<RecordReader>, std::string> read_records(InputFile file,
                                                                      const ReadOptions& options);

// Opens a file, a folder of an export or of dynamodump's, or "-". The error is for people.
tl::expected<std::unique_ptr<RecordReader>, std::string> open_records(const std::string& path,
                                                                      const ReadOptions& options);

}  // namespace stator::data
