// The --help texts of the client's commands; docs/data.md follows them.
#pragma once

#include <string_view>

namespace stator::client {

// The end of the texts below: first that of commands that show items, then that of commands on
// items, then that of all.
inline constexpr std::string_view kOutputHelp =
    R"(  --output F                 table, json, jsonl, dynamodb-json or csv (a table on a
                             terminal, else jsonl: a line of plain JSON for each item)
  --full                     a table's cells are not cut to the terminal's width
)";
inline constexpr std::string_view kCostHelp =
    R"(  --units                    reports the consumed capacity on stderr
  --explain                  tells on stderr what the server did for each request: items
                             looked at, units, time, hints; of a Stator alone
)";
inline constexpr std::string_view kServerHelp =
    R"(  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 do not verify the server's certificate
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each response (60)
  --help

Credentials as for stator import. Exit status: 0 done; 1 failed; 2 mistake in a word, a flag
or the item of put. The reason is on stderr.
)";

inline constexpr std::string_view kTablesHelp =
    R"(Lists tables with keys, indexes, items, bytes and billing mode.
Usage: stator tables [TABLE] [FLAGS]

)";

inline constexpr std::string_view kDescribeHelp =
    R"(Shows what DescribeTable says of a table: JSON, indented on a terminal, else a line.
Usage: stator describe TABLE [FLAGS]

)";

inline constexpr std::string_view kCreateHelp =
    R"(Creates a table with on-demand capacity, and waits until it is ACTIVE.
Usage: stator create TABLE PK[:T] [SK[:T]] [FLAGS]

PK and SK are the names of the key attributes; T is S, N or B (S). A template has more
settings, see stator apply.

  --index NAME=PK[:T][,SK[:T]]   a global index with all attributes; once for each
  --stream VIEW              KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES
  --ttl ATTRIBUTE            items expire at the time in this attribute
)";

inline constexpr std::string_view kGetHelp =
    R"(Shows an item. Usage: stator get TABLE PK [SK] [FLAGS]

PK and SK are the key's values; the table's keys decide their types. Binary is Base64.

  --consistent               a strongly consistent read
)";

inline constexpr std::string_view kQueryHelp =
    R"(Shows the items of a partition key. Usage: stator query TABLE PK [FLAGS]

  --sk CONDITION             '= A', '< A', '<= A', '> A', '>= A', 'begins_with A' or
                             'between A B' of the sort key
  --index I                  queries this index; PK and --sk are for its keys
  --desc                     last items first
  --limit N                  at most N items
  --consistent               strongly consistent reads
)";

inline constexpr std::string_view kScanHelp =
    R"(Shows the items of a table. Usage: stator scan TABLE [FLAGS]

  --filter EXPRESSION        such as 'year > 1990 AND begins_with(title, "A")'; values
                             and names stand in it, odd names in `backquotes`
  --limit N                  at most N items
  --consistent               strongly consistent reads
)";

inline constexpr std::string_view kPutHelp =
    R"(Puts an item, which replaces one with the same key.
Usage: stator put TABLE JSON [FLAGS], stator put TABLE -f FILE [FLAGS]

JSON is plain, such as '{"id":"7","n":1}'; numbers keep all digits. The table's keys
decide the types of keys. FILE has one item, - is stdin; stator import writes many.

  -f, --file FILE            reads the item from FILE
  --typed                    the item is DynamoDB JSON: {"id":{"S":"7"}}
)";

inline constexpr std::string_view kDeleteHelp =
    R"(Deletes an item, if it is there. Usage: stator delete TABLE PK [SK] [FLAGS]

PK and SK are the key's values; the table's keys decide their types. Binary is Base64.

)";

inline constexpr std::string_view kSqlHelp =
    R"(Runs a PartiQL statement and shows its items. Usage: stator sql [STATEMENT] [FLAGS]

Without a STATEMENT each line of stdin is one, with a prompt on a terminal.

  --limit N                  shows at most N items
  --consistent               strongly consistent reads
)";

inline constexpr std::string_view kWatchHelp =
    R"(Shows the changes of a table as its stream reports them.
Usage: stator watch TABLE [FLAGS]

  --from-start               first the records that the stream has already
  --once                     ends when no record is left
  --output F                 text, jsonl or dynamodb-json, the record as it came (text on
                             a terminal, else jsonl: a line of plain JSON for each change)
)";

inline constexpr std::string_view kStreamHelp =
    R"(Shows the records that a table's stream has. Usage: stator stream TABLE [FLAGS]

  --follow                   then the changes as they come, as stator watch does
  --output F                 text, jsonl or dynamodb-json, the record as it came (text on
                             a terminal, else jsonl: a line of plain JSON for each change)
)";

inline constexpr std::string_view kDiffHelp =
    R"(Compares the items of two tables or files by their keys.
Usage: stator diff A B [FLAGS]

A and B are tables, files as for stator import, or endpoint:URL/TABLE; without /TABLE it
is the other side's. An ARN says its Region. The items of both have to fit into memory.

  --key NAME:T[,NAME:T]      the key, if both are files
  --ignore NAME,...          attributes that are not compared
  --output F                 text, jsonl or dynamodb-json (text)

Exit status: 3 if items differ.
)";

}  // namespace stator::client
