#include "server/cli/client/sql_lines.h"

#include <unistd.h>

#include <iostream>
#include <string>
#include <string_view>

#include "server/cli/client/result_pages.h"
#include "server/client/http_connection.h"

namespace stator::client {

namespace {

// Without blanks around it and semicolons after it.
std::string_view statement_in(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  const std::size_t end = line.find_last_not_of(" \t\r;");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return line.substr(begin, end + 1 - begin);
}

// "us-east-1> "; a star marks an endpoint that is not on this machine.
std::string prompt_of(const data::Endpoint& endpoint) {
  return endpoint.region + (is_loopback(endpoint.server) ? "> " : " (*)> ");
}

}  // namespace

int run_sql_lines(const ClientOptions& options) {
  data::DynamodbClient client{options.endpoint};
  const bool is_prompted = ::isatty(STDIN_FILENO) == 1;
  const std::string prompt = prompt_of(options.endpoint);
  for (std::string line;;) {
    // On stderr: what is on stdout are items.
    if (is_prompted) std::cerr << prompt << std::flush;
    if (!std::getline(std::cin, line)) break;
    const std::string_view statement = statement_in(line);
    if (statement.empty()) continue;
    if (is_prompted && (statement == "exit" || statement == "quit")) return 0;
    const int status = show_result(client, sql_request(statement, options.flags), options, {});
    if (!is_prompted && status != 0) return status;
    if (!has_reader()) return 0;
  }
  if (is_prompted) std::cerr << '\n';
  return 0;
}

}  // namespace stator::client
