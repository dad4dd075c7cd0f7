// The text of `stator access --help`.
#pragma once

#include <string_view>

namespace stator {

inline constexpr std::string_view kAccessHelp =
    R"(Explains what an access file allows, and which permissions a run needed.
Usage: stator access check FILE [FLAGS]
       stator access why [REQUEST-ID] [FLAGS]
       stator access report [FLAGS]

check decides without a server about one request:
  --principal ARN            of a user, a role or an account's root in the file
  --action A                 such as dynamodb:GetItem
  --resource ARN             of a table, an index or a stream
  --context KEY=VALUE        a condition key of the request; again for lists
  --resource-policy FILE     the policy of the table
  --json                     the decision as JSON

why explains the latest denial of a server with --auth, or those of a request:
  --principal ARN            of this one alone
  --last N                   the N latest, up to 100
  --json                     as JSON, with the condition keys of the requests

report shows what the programs of a server with --auth have used:
  --principal ARN            of this one alone
  --since TIME               used then or later, such as 2027-01-01T00:00:00Z
  --format F                 json; or policies for terraform, cdk or sam
  --against ARN              compared with a policy or principal of the access
                             file; own: each one's own policies
  --denied                   only what was denied
  --no-resources             policies with * for resources
  --all-indexes              index/* in policies instead of the indexes used
  --attributes               policies list the attributes that were named
  --check                    lines for what was denied; fails if anything was
  --endpoint URL  --host H  --port N    which server, see stator health --help
  --timeout S  --help

Exit status: 0 allowed or done; 1 denied or failed; 2 check has no decision.
)";

}  // namespace stator
