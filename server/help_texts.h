// What `stator --help` and the --help of its commands print. Pages of the project follow them:
// docs/flags.md, packaging/stator.1 and packaging/stator.bash.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kHelp =
    R"(Stator, a local DynamoDB. Usage: stator [serve] [FLAGS]
  stator health [FLAGS]      whether a server answers      stator version
  stator backup DIR          a whole copy of --db-path, also beside a server
  stator check DIR, stator compact DIR    is it whole; free space to the disk
  stator import TABLE FILE, stator export TABLE FILE    CSV, JSON; stator copy
  stator explain, stator clock, stator mark, stator reset, stator capacity

  --port N                   port, 0 picks a free one (8000)    --account-id N
  --host H                   localhost, or an address, or * for all (localhost)
  --db-path DIR              keep data in DIR instead of memory
  --sync commit|lazy         answered writes survive power loss | a crash (lazy)
  --sync-interval S          with lazy, seconds that a power loss may cost (1)
  --max-bytes N[K|M|G|T]     most that the data may occupy (1T)    --seed DIR
  --error-wording W          current, classic (to June 2026) or next (current)
  --isolate region|none|key  which requests share tables (region)
  --item-collection-limit N  bytes per partition key, with local indexes (10G)
  --control-plane-delay S    seconds a table stays CREATING, DELETING, ... (0)
  --gsi-delay S --eventual-read-lag S     how late global indexes, reads are (0)
  --transaction-time S       seconds that transactions hold their items (0)
  --ttl-delay S --ttl-sweep-interval S --ttl-cooldown S    for TTL (0, 1, 0)
  --stream-shards N --stream-rollover S      open per stream, for S (1, 14400)
  --stream-retention S --stream-max-bytes N  of records in streams (86400, 1G)
  --clock real|manual|TIME   time passes | stands still, from TIME on (real)
  --throttling observe|enforce|off  --capacity NAME=N,...   limits (observe)
  --admin on|off --explain N      a path /_stator/, last requests kept (on, 200)
  --threads N                threads for connections (half the cores, 1 to 4)
  --max-connections N        beyond it the idle are closed, or 503 (4096)
  --max-memory N[K|M|G|T]    held by requests and answers, beyond it 503 (1G)
  --idle-timeout S --request-timeout S    for connections, requests (300, 60)
  --tls-cert F --tls-key F   https with PEM files; or only --tls self-signed
  --http-root aws|local      GET / answers 200 | 400 as DynamoDB Local (aws)
  --cors ORIGINS             pages let in: loopback, * or a list (loopback)
  --allow-host NAMES         names with dots by which pages may call it, a list
  --check-signature-age      refuse signatures more than 15 minutes off
  --log-level L              trace, debug, info, warn, error, off (info)
  --log-slow S               requests that take S seconds or more, at info (off)
  --log-format text|json     log lines, on stderr (text)       --help  --version

Each flag is also an environment variable, for instance STATOR_DB_PATH. DynamoDB
Local's command line works as it does there, also under the name java: -help.
)";

inline constexpr std::string_view kHealthHelp =
    R"(Asks GET /healthz of a running server. Usage: stator health [FLAGS]

  --endpoint URL             http://HOST:PORT or https://...; instead of the next two
  --host H                   the server's --host, or STATOR_HOST (localhost)
  --port N                   the server's --port, or STATOR_PORT (8000)
  --timeout S                seconds to wait for the answer (3)
  --help

Without the first three it asks the server that runs on this machine from the same
executable file, wherever its command line made it listen (Linux; not on port 0).

Exit status 0: healthy. 1: not, one line on stderr says why. Certificates are not
verified. https without --endpoint when STATOR_TLS or STATOR_TLS_CERT is set.
)";

inline constexpr std::string_view kClockHelp =
    R"(Tells and moves the time of a running server. Usage: stator clock [MOVE] [FLAGS]

  get                        what time it is; the same without a word
  advance D                  time goes on by D, such as 1h30m, 25h, 7d or 250ms
  set T                      time goes on to T, such as 2027-01-01T00:00:00Z
  rate N                     N seconds pass for each real one, 0 to 1000000
  real, manual               time passes as real time does | stands still

  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the answer (60)
  --help

When it ends, what became due on the way has happened. Time never goes back.

Exit status 0: done, one line on stdout tells time and mode. 1: not, one line on stderr
says why.
)";

inline constexpr std::string_view kMarkHelp =
    R"(Remembers states of a running server's data and goes back to them.
Usage: stator mark [VERB] [FLAGS]

  list                       the marks there are; the same without a word
  set NAME                   remembers the present state; a NAME there is moves here
  rollback NAME              goes back to it; marks made behind it are forgotten
  forget NAME                the data stays as it is

  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the answer (60)
  --help

A state is tables, items, indexes, streams, time to live, tags, and the clock if it was
moved. Going back takes as long as what was changed since, whatever the data's size.

Exit status 0: done, told on stdout. 1: not, one line on stderr says why.
)";

inline constexpr std::string_view kResetHelp =
    R"(Removes all tables of a running server. Usage: stator reset [FLAGS]

  --region R                 only those of this Region
  --access-key K             only those of this access key (--isolate key)
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the answer (60)
  --help

Whatever their state and deletion protection. The clock stays.

Exit status 0: done, one line on stdout says how many. 1: not, one line on stderr says
why.
)";

inline constexpr std::string_view kCapacityHelp =
    R"(Tells what tables of a running server can serve, and what was asked of them.
Usage: stator capacity [TABLE] [FLAGS]

  --region R                 only tables of this Region
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the answer (60)
  --help

Of a TABLE with its partitions and its hottest keys, of all tables without.

Exit status 0: done. 1: not, one line on stderr says why.
)";

inline constexpr std::string_view kExplainHelp =
    R"(Tells why requests failed: the last ones of a running server that did, or that there is
a hint at, newest last. Usage: stator explain [ID] [FLAGS]

  --all                      all that the server keeps (its --explain N)
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the answer (60)
  --help

With the x-amzn-RequestId of an answer, which SDKs show with an error, everything that
is known of that request.

Exit status 0: done. 1: not, one line on stderr says why.
)";

inline constexpr std::string_view kBackupHelp =
    R"(Makes a copy of a data folder as it is now. Usage: stator backup DIR [FLAGS]

  --db-path SRC              the folder to copy, or STATOR_DB_PATH
  --help

DIR must not exist or be empty; it is there whole, and on the disk, or not at all. A
server may use SRC meanwhile and goes on writing. Serve the copy with --db-path DIR.

Exit status 0: done. 1: not, one line on stderr says why.
)";

inline constexpr std::string_view kCheckHelp =
    R"(Reads all of a data folder and says what is wrong. Usage: stator check DIR

  --help

Looks at every page, every item, every index against its table, the statistics and the
journals. A server may use DIR meanwhile; what is looked at is the state of one moment.

Exit status 0: all is well. 1: a line for each finding on stdout, or one on stderr that
says why the folder cannot be read.
)";

inline constexpr std::string_view kCompactHelp =
    R"(Gives the free space in a data folder back to the disk. Usage: stator compact DIR

  --help

Writes the data anew, which needs room for both, and puts them in place of the old ones.
No server may use DIR meanwhile. Killed at any moment it leaves all that was there.

Exit status 0: done. 1: not, one line on stderr says why.
)";

}  // namespace stator
