// CopyState: the progress of a copy, in a file that outlives the command.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace stator::data {

// Progress of one table. `start_keys` are JSON keys after which segments continue.
struct TablePlace {
  bool is_done = false;
  std::vector<std::string> start_keys;  // by segment; empty to start at the beginning
  std::vector<bool> ended;              // by segment
  std::uint64_t items = 0;              // written so far
};

class CopyState {
 public:
  // Reads `path` if it exists; it must be for the same two endpoints. The error is for people.
  static tl::expected<CopyState, std::string> open(const std::string& path, std::string from,
                                                   std::string to);
  CopyState(CopyState&& other) noexcept;

  // The table's progress; nullptr if it was not begun.
  const TablePlace* find(std::string_view table) const;

  // These change the state and write it to the file. They return an error for people; empty if
  // none. Any thread may call them.
  std::string begin(const std::string& table, unsigned segments);
  // Records that `items` more are written and where the segment continues; an empty `next_key`
  // means that it is complete.
  std::string reached(const std::string& table, unsigned segment, std::string next_key,
                      std::uint64_t items);
  std::string finish(const std::string& table);

  // Call when the copy is complete.
  void remove() const;
  const std::string& path() const { return path_; }
  bool was_there() const { return was_there_; }

 private:
  CopyState(std::string path, std::string from, std::string to);
  std::string read();
  std::string write() const;

  std::string path_;
  std::string from_;
  std::string to_;
  bool was_there_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, TablePlace, std::less<>> tables_;  // guarded by mutex_
};

}  // namespace stator::data
