// Messages of commands to the user, escaped so that text from elsewhere cannot move the cursor or
// forge a line.
#pragma once

#include <string_view>

namespace stator {

// Prints "stator: " and the line on stderr, escaped.
void complain(std::string_view line);
// Complains; returns the exit status of a command that failed, 1.
int fail(std::string_view line);
// Prints a line on stdout, escaped and flushed.
void say(std::string_view line);

}  // namespace stator
