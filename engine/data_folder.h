// What can be done to a data folder beside serving it, while a server uses it or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace stator {

// The name of a file by which a folder without data of ours is DynamoDB Local's: a database of
// SQLite. Empty: there is none, or the folder cannot be read.
std::optional<std::string> find_foreign_data(const std::filesystem::path& folder);

struct DataReport {
  std::uint64_t tables = 0;
  std::uint64_t items = 0;
  std::uint64_t index_entries = 0;
  std::vector<std::string> findings;  // a line each: what is wrong
};

// Reads all of the folder as of now: every page, every item, every index against its table, the
// statistics, the journals, the tokens. The error is one line for the user: it cannot be read at
// all.
tl::expected<DataReport, std::string> check_data_folder(const std::filesystem::path& folder);

// Makes `target`, which must not exist or be empty, a data folder with the state that `source` has
// now. It is there whole, and on the disk, or not at all. The error is one line for the user.
tl::expected<void, std::string> back_up_data_folder(const std::filesystem::path& source,
                                                    const std::filesystem::path& target);

struct Compaction {
  std::uint64_t bytes_before = 0;  // of data.mdb
  std::uint64_t bytes_after = 0;
};

// Writes the folder's data anew without its free pages, which gives them back to the disk; needs
// room for both. Nobody may use the folder meanwhile. Cut off at any moment it leaves the data as
// they were or compacted. The error is one line for the user.
tl::expected<Compaction, std::string> compact_data_folder(const std::filesystem::path& folder);

}  // namespace stator
