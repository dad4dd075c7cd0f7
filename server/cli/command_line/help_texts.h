// The texts of `stator --help` and of the --help of its commands. Other pages follow them:
// docs/flags.md, packaging/stator.1 and packaging/stator.bash.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kHelp =
    R"(Stator, a local DynamoDB. Usage: stator [serve] [FLAGS]
  stator health, version, access, triggers, apply, schema, function NAME
  stator backup DIR, stator check DIR, stator compact DIR
  stator import TABLE FILE, stator export TABLE FILE    CSV, JSON; stator copy
  stator tables, describe, create, get, query, scan, put, delete, sql, diff
  stator stream, watch, explain, log, clock, mark, reset, capacity, fault, mcp

  --port N                   port, 0 picks a free one (8000)    --account-id N
  --host H                   localhost, or an address, or * for all (localhost)
  --db-path DIR              data in DIR, not memory  --seed PATH  --s3-root DIR
  --s3-endpoint URL --s3-timeout S --kinesis-endpoint URL    other servers (60)
  --sync commit|lazy --sync-interval S   writes survive power loss | kill (lazy)
  --max-bytes N[K|M|G|T]     of the data (1T)  --pitr-max-bytes N  --pitr-lag S
  --error-wording W          current, classic (to June 2026) or next (current)
  --isolate region|none|key  which requests share tables (region)
  --item-collection-limit N  bytes per partition key, with local indexes (10G)
  --control-plane-delay S    seconds a table stays CREATING, DELETING, ... (0)
  --gsi-delay S --eventual-read-lag S --transaction-time S --policy-lag S    (0)
  --ttl-delay S --ttl-sweep-interval S --ttl-cooldown S    for TTL (0, 1, 0)
  --stream-shards N --stream-rollover S      open per stream, for S (1, 14400)
  --stream-retention S --stream-max-bytes N  of records in streams (86400, 1G)
  --function NAME[=URL] --function-default URL --function-destination ARN=PLACE
  --lambda-strict --lambda-retry-backoff S   what streams trigger, retries (0.5)
  --clock real|manual|TIME   time passes | stands still | starts at TIME (real)
  --throttling observe|enforce|off  --capacity NAME=N,...   limits (observe)
  --admin on|off  --explain N --explain-bytes N   requests kept (on, 200, 4096)
  --faults FILE|off --fault-seed N  --console on|off --console-token T  (on)
  --auth off|signature|iam|audit --access-file F    verify, allow requests (off)
  --access-file-insecure --access-report F --threads N       (half of the cores)
  --max-memory N[K|M|G|T]    memory for requests and responses, then 503 (1G)
  --max-connections N --idle-timeout S --request-timeout S    (4096, 300, 60)
  --tls-cert F --tls-key F   https; or --tls self-signed  --tls-cert-out F
  --http-root aws|local      GET / answers 200 | 400 as DynamoDB Local (aws)
  --cors ORIGINS --allow-host NAMES   web pages, host names to allow (loopback)
  --check-signature-age  refuse dates over 15 minutes off    --help  --version
  --log-level L              trace, debug, info, warn, error, off (info)
  --log-slow S --log-format text|json  slow requests (off), form of lines (text)

Each flag has an environment variable, such as STATOR_DB_PATH. DynamoDB Local's
command line works too, also under the program name java: -help.
)";

inline constexpr std::string_view kHealthHelp =
    R"(Asks GET /healthz of a running server. Usage: stator health [FLAGS]

  --endpoint URL             http://HOST:PORT or https://...; instead of the next two
  --host H                   the server's --host, or STATOR_HOST (localhost)
  --port N                   the server's --port, or STATOR_PORT (8000)
  --timeout S                seconds to wait for the response (3)
  --help

Without the first three it finds the server that this executable file runs on this
machine, on any port but one chosen by --port 0 (Linux).

Exit status: 0 healthy; 1 not healthy, reason on stderr. Certificates are not verified.
Without --endpoint it uses https if STATOR_TLS or STATOR_TLS_CERT is set.
)";

inline constexpr std::string_view kClockHelp =
    R"(Shows or moves a running server's clock. Usage: stator clock [MOVE] [FLAGS]

  get                        shows the time; the default
  due                        lists what would happen by itself, the next first
  now                        moves to the system's time and follows it
  advance D                  moves forward by D, such as 1h30m, 25h, 7d or 250ms
  set T                      moves forward to T, such as 2027-01-01T00:00:00Z
  rate N                     N seconds pass for each real one, 0 to 1000000
  real, manual               time passes as real time does | stands still

  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the response (60)
  --help

On return, everything that fell due has happened. Time never moves back.

Exit status: 0 done, time and mode or list on stdout; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kMarkHelp =
    R"(Marks states of a running server's data and rolls back to them.
Usage: stator mark [VERB] [FLAGS]

  list                       lists the marks; the default
  set NAME                   marks the current state; moves NAME if it exists
  changes NAME               lists the tables and items that a rollback would restore
  rollback NAME              restores the state of NAME; drops later marks
  forget NAME                removes the mark; the data stays as it is

  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the response (60)
  --help

A state is tables, items, indexes, streams, time to live, tags, and the clock if it was
moved. A rollback takes as long as the changes since the mark, whatever the data's size.

Exit status: 0 done, result on stdout; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kResetHelp =
    R"(Removes all tables of a running server. Usage: stator reset [FLAGS]

  --region R                 only tables of this Region
  --access-key K             only tables of this access key (--isolate key)
  --streams                  also disabled streams, with their records
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the response (60)
  --help

State and deletion protection do not matter. Without --streams, stream records of the
tables stay readable for a day. The clock stays as it is.

Exit status: 0 done, number of tables on stdout; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kCapacityHelp =
    R"(Shows each table's throughput limits and use on a running server.
Usage: stator capacity [TABLE] [FLAGS]

  --region R                 only tables of this Region
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the response (60)
  --help

With TABLE it shows the table's partitions and hottest keys too.

Exit status: 0 done; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kExplainHelp =
    R"(Explains the last requests of a running server that failed, newest last.
Usage: stator explain [ID] [FLAGS]

  --last N                   the number of requests (20; with --all no limit)
  --table T                  only requests to this table
  --hints                    also requests that succeeded and have a hint
  --all                      all requests that the server records (its --explain N)
  --follow                   goes on with new requests until Ctrl-C
  --json                     one line of JSON per request
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the response (60)
  --help

ID is the x-amzn-RequestId of a response, which SDKs show with an error. With it the
output has everything that the server knows about that request.

Exit status: 0 done; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kLogHelp =
    R"(Shows the requests that a running server has answered, newest last, a line each.
Usage: stator log [FLAGS]

  -f, --follow               goes on with new requests until Ctrl-C, and waits for a server
                             that is started again
  --last N                   the number of requests to begin with (20)
  --table T                  only requests to this table
  --output F                 text or jsonl (text on a terminal, else jsonl)
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for the response (60)
  --help

Exit status: 0 done; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kBackupHelp =
    R"(Copies a data folder as it is now. Usage: stator backup DIR [FLAGS]

  --db-path SRC              the folder to copy, or STATOR_DB_PATH
  --help

DIR must be new or empty. It appears complete and on disk, or not at all. A server may
use SRC and write to it meanwhile. Serve the copy with --db-path DIR. For a backup of one
table use CreateBackup.

Exit status: 0 done; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kCheckHelp =
    R"(Verifies a data folder and lists the problems found. Usage: stator check DIR

  --help

Reads every page and item, and compares every index with its table, the statistics and
the journals. A server may use DIR meanwhile: the check reads the state of one moment.

Exit status: 0 no problem; 1 one line per problem on stdout, or the reason why the folder
cannot be read on stderr.
)";

inline constexpr std::string_view kCompactHelp =
    R"(Returns the free space in a data folder to the disk. Usage: stator compact DIR

  --help

Writes the data again, which needs space for both, then replaces the old file.
No server may use DIR meanwhile. A kill at any moment leaves all data in place.

Exit status: 0 done; 1 failed, reason on stderr.
)";

}  // namespace stator
