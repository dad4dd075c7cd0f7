// Stdout of the client's commands.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace stator::client {

// Why writing ended.
struct OutputEnd {
  std::string problem;  // for people; empty: the reader of stdout has gone, which is no error
};
using Output = tl::expected<void, OutputEnd>;

// From now on a closed stdout is an error of writing, no signal.
void begin_output();

// Writes the text at once. Waits for a slow reader, also if stdout does not block.
Output write_all(std::string_view text);

// Whether somebody can still read what is written.
bool has_reader();

}  // namespace stator::client
