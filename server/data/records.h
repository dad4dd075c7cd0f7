// Records: what stands in a file that is imported, one item after the other, whatever the format.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "protocol/arena.h"
#include "protocol/json_tree.h"

namespace stator::data {

enum class Format : std::uint8_t {
  Auto,          // as the content says
  Json,          // JSON Lines or an array, plain JSON
  DynamodbJson,  // the same, attribute values with their types, bare or as {"Item":{…}}
  Csv,
  Scan,    // what `aws dynamodb scan` prints
  Export,  // a folder of DynamoDB's export to S3
};

std::string_view format_name(Format format);

struct Record {
  std::uint64_t line = 0;  // on which it begins, from 1
  std::string raw;         // as it stood there, for the file of rejects; may hold line breaks
  std::string problem;     // why it is none; empty: `item` is there
  bool is_delete = false;  // `item` is the key of one that is to go
  JsonNode item;           // attribute values by name, in `text` and `arena`
  std::string text;
  Arena arena;
};

// How a file is to be read.
struct ReadOptions {
  Format format = Format::Auto;
  char delimiter = ',';
  std::vector<std::string> header;  // names of columns; empty: the first line has them
  // Of attributes whose type the table knows, "S", "N" or "B".
  std::map<std::string, std::string, std::less<>> types;
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // Replaces `record` by the next one. False at the end, also at one that came too early: see
  // error().
  virtual bool next(Record& record) = 0;
  // For people; empty: all was read.
  virtual std::string error() const = 0;
  // Of the file that is read now, which is not always the one that was named.
  virtual std::string path() const = 0;
  // How far it is, in bytes on the disk; a total of 0 is unknown.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_total() const = 0;
  // "CSV"
  virtual std::string_view format_text() const = 0;
  // A line that a file of rejects must begin with to be read like this one; empty: none.
  virtual std::string head() const { return {}; }
};

// A file, a folder of an export or "-". The error is for people.
tl::expected<std::unique_ptr<RecordReader>, std::string> open_records(const std::string& path,
                                                                      const ReadOptions& options);

}  // namespace stator::data
