// Marks: named states of the data that can be gone back to, so that each test begins from the same
// one (engine/storage/undo_log.h tells how). With the data goes the time, if it was moved. They are
// kept beside the data, over restarts too.
//
// What goes wrong for a mark is told in a word; the log has the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"

namespace stator {

inline constexpr std::size_t kMarksMax = 32;
inline constexpr std::size_t kMarkNameBytesMax = 64;

// 1 to 64 of A–Z, a–z, 0–9, hyphen, underscore and dot.
bool is_mark_name(std::string_view name);

enum class MarkEnd : std::uint8_t {
  Done,
  Unknown,  // there is no mark of that name
  TooMany,  // there are kMarksMax
  CouldNotStore,
};

struct ToldMark {
  std::string name;
  Timestamp made;
};

}  // namespace stator
