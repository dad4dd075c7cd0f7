// Sequence numbers: the number of a record in its journal, as clients see it.
//
// Like the service's, the text is a counter followed by 20 digits that rise too: 21 digits at
// least, more as the counter grows (conformance/observed/streams.md 6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stator {

// 7 is 700000000000000000007.
std::string sequence_number(std::uint64_t number);
// The same into room of kSequenceNumberBytesMax; returns the end.
inline constexpr std::size_t kSequenceNumberBytesMax = 40;
char* write_sequence_number(char* out, std::uint64_t number);

// The first number whose text, read as a whole number, is not less than `text`, or, with `after`,
// greater; the highest there is for one beyond all. Empty: the text is no whole number.
std::optional<std::uint64_t> position_of(std::string_view text, bool after);

}  // namespace stator
