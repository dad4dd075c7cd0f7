// Work on a data folder besides serving it, while a server uses it or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace stator {

// For a folder without Stator's data: the name of an SQLite file, which shows that it is DynamoDB
// Local's. Empty if there is none, or if the folder cannot be read.
std::optional<std::string> find_foreign_data(const std::filesystem::path& folder);

struct DataReport {
  std::uint64_t tables = 0;
  std::uint64_t items = 0;
  std::uint64_t index_entries = 0;
  std::vector<std::string> findings;  // one line for each problem
};

// Says what is wrong with a document of another layer (engine/documents/documents.h); an empty
// text: nothing. `find` returns the value of another one.
using FindDocument = std::function<std::optional<std::string>(std::string_view key)>;
using CheckDocument = std::function<std::string(std::string_view key, std::string_view value,
                                                const FindDocument& find)>;

// Verifies the current state of a folder: every page, every record, every index against its table,
// jobs against their items, and what each record refers to. `check_document` may be empty. The
// error is one line for the user: the folder cannot be read.
tl::expected<DataReport, std::string> check_data_folder(const std::filesystem::path& folder,
                                                        const CheckDocument& check_document = {});

// Copies the current state of `source` to `target`, which must be missing or empty. The copy
// appears complete and on disk, or not at all. The error is one line for the user.
tl::expected<void, std::string> back_up_data_folder(const std::filesystem::path& source,
                                                    const std::filesystem::path& target);

struct Compaction {
  std::uint64_t bytes_before = 0;  // of data.mdb
  std::uint64_t bytes_after = 0;
};

// Rewrites the folder's data without free pages, which returns their space to the disk; needs space
// for both. No other process may use the folder meanwhile. If interrupted at any moment, it leaves
// the data either unchanged or compacted. The error is one line for the user.
tl::expected<Compaction, std::string> compact_data_folder(const std::filesystem::path& folder);

}  // namespace stator
