// The text of `stator triggers --help`.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kTriggerHelp =
    R"(Shows what event source mappings do. Usage: stator triggers [VERB] [FLAGS]

  list                       the mappings: state, counts and lag; the default
  calls                      the last calls of functions, with their outcomes
  filtered                   the last records that no filter matched, and why
  failures                   the last messages about discarded records
  settle                     waits until each mapping has delivered all, or waits itself
  pause                      starts no more calls, and waits until none is in flight
  step                       while paused: makes the next call that is due
  resume                     ends the pause
  replay N                   calls the function once more with the event of call N
  explain PATTERN RECORD     whether a filter matches; each JSON, or @FILE

  --since N                  calls, filtered, failures: only those after number N
  --json                     one line of JSON for each
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait (30)
  --help

Exit status: 0 done; 1 failed, not settled, no match, reason on stderr.
)";

}  // namespace stator
