// What --help of the commands on data prints; docs/data.md follows it.
#pragma once

#include <string_view>

namespace stator::data {

inline constexpr std::string_view kImportHelp =
    R"(Writes the items of files into a table. Usage: stator import TABLE FILE... [FLAGS]

FILE is CSV, JSON Lines or an array, of plain JSON or DynamoDB JSON, or what `aws
dynamodb scan` prints, also as gzip, or the folder of DynamoDB's export to S3; - is
stdin. The content says which it is.

  --format F                 csv, json, dynamodb-json, scan or export
  --delimiter C --header N,... of CSV: a character or tab (,); names of its columns
  --key NAME:T[,NAME:T]      makes the table when it is not there; T is S, N or B
  --keep-going               wrong records do not end it, but go to a file
  --rejects FILE             that file (rejects.txt)
  --connections N            at once (4)
  --rate N                   at most N items a second
  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 any certificate will do, also of another machine
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each answer (60)
  --help

Credentials: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; a local server
needs none. Items that are there with the same key are replaced.

Exit status 0: all was written, one line on stdout says how many. 1: not, or wrong records
were left out; lines on stderr say what and where.
)";

inline constexpr std::string_view kExportHelp =
    R"(Writes the items of a table into a file. Usage: stator export TABLE FILE [FLAGS]

FILE is there whole or not at all; packed when it ends in .gz; - is stdout. Its name
says the format: .csv, or .json, .jsonl, .ndjson for DynamoDB JSON Lines,
FOLDER/ for files as DynamoDB's export to S3 writes them.

  --format F                 csv, json, dynamodb-json, scan or export, whatever the name
  --delimiter C              of CSV: a character or tab (,)
  --segments N               are read at once (4)
  --rate N                   at most N items a second
  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 any certificate will do, also of another machine
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each answer (60)
  --help

Credentials as for stator import, which reads all of it. json loses sets and binary
values, and says how many.

Exit status 0: done, one line says how many. 1: not, lines on stderr say why.
)";

inline constexpr std::string_view kCopyHelp =
    R"(Copies tables from one endpoint of DynamoDB to another.
Usage: stator copy --from URL --to URL [TABLE...] [FLAGS]

Without a TABLE all of them: keys, indexes, billing, stream, tags, time to live, items.
Ended halfway, the same command goes on where it was.

  --from URL  --to URL       endpoints: Stator, DynamoDB Local, AWS or others
  --from-region R --to-region R   Regions (of the endpoint, AWS_REGION, us-east-1)
  --merge                    items go into tables that are there already, too
  --segments N               of a table are copied at once (4)
  --rate N                   at most N items a second
  --state FILE               remembers how far it is (stator-copy.json)
  --insecure                 any certificate will do, also of another machine
  --timeout S                seconds to wait for each answer (60)
  --help

Credentials as for stator import, the same at both ends.

Exit status 0: all is copied, a line for each table. 1: not, lines on stderr say why and
what there is.
)";

}  // namespace stator::data
