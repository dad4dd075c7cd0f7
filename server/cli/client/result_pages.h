// Reads the pages of a request's result and shows them, one page at a time.
#pragma once

#include "server/cli/client/client_command.h"
#include "server/cli/client/requests.h"
#include "server/cli/output/item_output.h"
#include "server/data/transfer/dynamodb_client.h"

namespace stator::client {

// The exit status after output has ended; a problem is printed on stderr.
int status_of(const OutputEnd& end);
// Prints the failure on stderr, then a line for each hint. Returns 1, the exit status.
int fail_with_hints(const data::Failure& failure);

// Sends the request, with further pages until the last one or the limit, and shows the items.
// Returns the exit status. `table`: whose items these are, for their order.
int show_result(data::DynamodbClient& client, const Request& request, const ClientOptions& options,
                const data::TableInfo& table);

// Shows the rows of `stator tables`: a line for each table, as an item. Returns the exit status.
int show_tables(data::DynamodbClient& client, const ClientOptions& options,
                const std::string& table);

}  // namespace stator::client
