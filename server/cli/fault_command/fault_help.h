// The text of `stator fault --help`.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kFaultHelp =
    R"(Makes requests of a running server fail on demand. Usage: stator fault [VERB] [FLAGS]

  list                       lists the rules and what they did; the default
  add [OPERATION...]         makes a rule; without an operation for all of them
  add -f FILE                makes the rules of a file in JSON
  remove NAME, clear         removes one rule, or all
  preset NAME [ARGUMENT]     makes the rules of a preset; a wrong NAME lists them
  wait NAME [--fired N]      returns once the rule has fired N times (1)

  --name NAME                of the rule (fault-1, ...)
  --table T  --index I       only requests to these; names with * and ?
  --access-key K             only requests of this access key
  --nth N  --every N         only the Nth request that fits; only each Nth
  --attempt N                only the Nth attempt of an SDK's call
  --probability P            only this share of the requests, 0 to 1
  --times N                  at most N requests
  --error TYPE               answers this error; nothing is done
  --drop before|after        no answer; the request is executed with "after"
  --delay D                  the answer comes later, by D such as 200ms
  --corrupt HOW              crc, byte, cut, empty or json
  --effect JSON              any effect of docs/faults.md, instead of these four
  --json                     list: one line of JSON per rule
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait, also for a rule to fire (60)
  --help

Exit status: 0 done, result on stdout; 1 failed or not fired, reason on stderr.
)";

}  // namespace stator
