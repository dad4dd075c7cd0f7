// The --help texts of the commands on data; docs/data.md follows them.
#pragma once

#include <string_view>

namespace stator::data {

inline constexpr std::string_view kImportHelp =
    R"(Writes the items of files into a table. Usage: stator import TABLE FILE... [FLAGS]

FILE is CSV, JSON (lines, objects or an array; plain or DynamoDB JSON), Ion, input of `aws
dynamodb batch-write-item` or put-item, output of scan, get-item and others, any of these
with gzip or zstd, or a folder of DynamoDB's export to S3; - is stdin. The content decides
which, and the first line on stderr says it.

  --format F                 csv, json, dynamodb-json, ion, scan or export
  --delimiter C              CSV: a character, tab or \t; else , ; or tab, as the first line has
  --header N,...             CSV: names of the columns
  --types NAME:T,...         CSV: types of columns; S otherwise
  --key NAME:T[,NAME:T]      creates the table if it is missing; T is S, N or B
  --keep-going               writes invalid records to a file and goes on
  --rejects FILE             that file (rejects.txt)
  --connections N            connections to use at once (4)
  --rate N                   at most N items per second
  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 do not verify the server's certificate
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each response (60)
  --help

Credentials: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; a local server
needs none. Items with the same key are replaced.

Exit status: 0 all items written, their number on stdout; 1 failed, or invalid records
were left out: stderr says what and where.
)";

inline constexpr std::string_view kExportHelp =
    R"(Writes the items of a table into a file. Usage: stator export TABLE FILE [FLAGS]

FILE appears complete or not at all; .gz or .zst compresses it; - is stdout. Its name
decides the format: .csv, .ion, or .json, .jsonl, .ndjson for DynamoDB JSON Lines,
FOLDER/ for the layout of DynamoDB's export to S3, also with --format ion.

  --format F                 csv, json, dynamodb-json, ion, scan or export; overrides the name
  --compression C            none, gzip or zstd; overrides the name
  --delimiter C              CSV: a character, tab or \t (,)
  --segments N               segments to read at once (4)
  --rate N                   at most N items per second
  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 do not verify the server's certificate
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each response (60)
  --help

Credentials as for stator import, which reads all formats. json loses sets and binary
values and reports how many.

Exit status: 0 done, number of items printed; 1 failed, reason on stderr.
)";

inline constexpr std::string_view kCopyHelp =
    R"(Copies tables from one DynamoDB endpoint to another.
Usage: stator copy --from URL --to URL [TABLE...] [FLAGS]

TABLE:COPY gives the copy another name. Without TABLE it copies all tables: keys, indexes,
billing, stream, tags, time to live, items. After an interruption the same command resumes.

  --from URL  --to URL       endpoints: Stator, DynamoDB Local, AWS or others
  --from-region R --to-region R   Regions (of the endpoint, AWS_REGION, us-east-1)
  --schema-only              tables without their items
  --merge                    also write into tables that exist already
  --segments N               segments of a table to copy at once (4)
  --rate N                   at most N items per second
  --state FILE               stores the progress (stator-copy.json)
  --insecure                 do not verify the server's certificate
  --timeout S                seconds to wait for each response (60)
  --help

Credentials as for stator import, the same at both ends.

Exit status: 0 all copied, one line per table; 1 failed, stderr says why and what exists.
)";

}  // namespace stator::data
