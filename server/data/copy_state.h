// CopyState: how far a copy is, in a file that outlives the command.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace stator::data {

// Of one table. A segment's text is the JSON of the key behind which it goes on.
struct TablePlace {
  bool is_done = false;
  std::vector<std::string> start_keys;  // by segment; empty: from its start
  std::vector<bool> ended;              // by segment
  std::uint64_t items = 0;              // written so far
};

class CopyState {
 public:
  // Reads `path` when it is there; it must be of the same two endpoints. The error is for people.
  static tl::expected<CopyState, std::string> open(const std::string& path, std::string from,
                                                   std::string to);
  CopyState(CopyState&& other) noexcept;

  // Where the table is, if it was begun.
  const TablePlace* find(std::string_view table) const;

  // What has changed is in the file when these return; empty, or why it is not, for people. Safe
  // from any thread.
  std::string begin(const std::string& table, unsigned segments);
  // The items before `next_key` are written, `items` more of them; empty: all of the segment.
  std::string reached(const std::string& table, unsigned segment, std::string next_key,
                      std::uint64_t items);
  std::string finish(const std::string& table);

  // The copy is whole: nothing is left to remember.
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
