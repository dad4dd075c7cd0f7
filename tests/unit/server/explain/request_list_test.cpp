// server/explain/request_list.h: the query of a list, and which requests are one entry of it.
#include "server/explain/request_list.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using Part = RecentRequest::Part;
using Show = RequestQuery::Show;

struct Sent {
  std::string id;
  std::string operation = "GetItem";
  std::string table = "orders";
  std::string error = "ValidationException";  // empty: it succeeded
  std::string message = "M";
  std::string access_key = "one";
  std::string hint = {};
};

// The ids of the entries, with their counts if they are more than one.
std::vector<std::string> entries(const std::vector<Sent>& newest_first, RequestQuery query = {}) {
  std::vector<std::string> shown;
  const Sent* current = nullptr;
  RequestList list(
      query,
      [&current](const RecentRequest&) {
        Findings findings;
        if (!current->hint.empty()) findings.hints.push_back(current->hint);
        return findings;
      },
      [&shown](const RecentRequest& request, const Findings&, std::int64_t count) {
        shown.emplace_back(request.text(Part::Id));
        if (count > 1) shown.back() += " x" + std::to_string(count);
      });
  for (const Sent& sent : newest_first) {
    RecentRequest request;
    request.status = sent.error.empty() ? 200 : 400;
    request.set(Part::Id, sent.id);
    request.set(Part::Operation, sent.operation);
    request.set(Part::Table, sent.table);
    request.set(Part::Error, sent.error);
    request.set(Part::Message, sent.message);
    request.set(Part::AccessKey, sent.access_key);
    current = &sent;
    if (!list.add(request)) break;
  }
  list.finish();
  return shown;
}

using Ids = std::vector<std::string>;

TEST_CASE("request list: equal neighbours are one entry, the newest with a count", "[server]") {
  CHECK(entries({}).empty());
  CHECK(entries({{.id = "c"}, {.id = "b"}, {.id = "a"}}) == Ids{"c x3"});
  CHECK(entries({{.id = "c"}, {.id = "b", .operation = "Query"}, {.id = "a"}}) ==
        Ids{"c", "b", "a"});
  CHECK(entries({{.id = "b"}, {.id = "a", .table = "t"}}) == Ids{"b", "a"});
  CHECK(entries({{.id = "b"}, {.id = "a", .error = "E"}}) == Ids{"b", "a"});
  CHECK(entries({{.id = "b"}, {.id = "a", .message = "other"}}) == Ids{"b", "a"});
  CHECK(entries({{.id = "b"}, {.id = "a", .access_key = "two"}}) == Ids{"b", "a"});
}

TEST_CASE("request list: successes are one entry only with the same hints", "[server]") {
  CHECK(entries({{.id = "b", .error = ""}, {.id = "a", .error = ""}}) == Ids{"b", "a"});
  CHECK(entries({{.id = "b", .error = "", .hint = "h"}, {.id = "a", .error = "", .hint = "h"}}) ==
        Ids{"b x2"});
  CHECK(entries({{.id = "b", .error = "", .hint = "h"}, {.id = "a", .error = "", .hint = "g"}}) ==
        Ids{"b", "a"});
}

TEST_CASE("request list: neighbours are those that the query means", "[server]") {
  const std::vector<Sent> mixed{{.id = "e"},
                                {.id = "d", .access_key = "two"},
                                {.id = "c", .error = "", .hint = "h"},
                                {.id = "b", .error = ""},
                                {.id = "a", .table = "arn:aws:dynamodb:us-east-1:1:table/orders"}};
  CHECK(entries(mixed, {.show = Show::Failures}) == Ids{"e", "d", "a"});
  CHECK(entries(mixed, {.show = Show::Hints}) == Ids{"e", "d", "c", "a"});
  CHECK(entries(mixed, {.access_key = "two"}) == Ids{"d"});
  CHECK(entries(mixed, {.table = "orders"}).size() == 5);
  CHECK(entries(mixed, {.table = "order"}).empty());
  CHECK(entries(mixed, {.last = 2}) == Ids{"e", "d"});
  CHECK(entries({{.id = "c"}, {.id = "b"}, {.id = "a", .table = "t"}}, {.last = 1}) == Ids{"c x2"});
}

TEST_CASE("request list: the query is read as it was sent", "[server]") {
  const auto query = read_request_query("x=1&access_key=ci-7&show=hints&last=20&after=7&table=t");
  REQUIRE(query);
  CHECK((query->access_key == "ci-7" && query->table == "t" && query->show == Show::Hints));
  CHECK((query->last == 20 && query->after == 7));
  REQUIRE(read_request_query(""));
  CHECK(read_request_query("")->show == Show::All);
  REQUIRE(read_request_query("&access_key&"));
  for (const char* const wrong : {"last=0", "last=", "last=x", "last=-1", "last=1x", "after=x",
                                  "after=99999999999999999999", "show=", "show=some"})
    CHECK_FALSE(read_request_query(wrong));
}

TEST_CASE("request list: what a query means", "[server]") {
  RecentRequest request;
  request.status = 400;
  request.set(Part::Id, "ID7");
  request.set(Part::Operation, "GetItem");
  request.set(Part::Table, "orders");
  request.set(Part::Message, "The provided key element does not match");
  request.set(Part::Asked, R"({"Key":{"pk":{"S":"a b"}}})");
  const auto is_meant = [&request](const std::string& query) {
    const auto read = read_request_query(query);
    REQUIRE(read);
    return read->is_meant(request);
  };
  for (const char* const fit :
       {"", "operation=GetItem", "status=400", "status=4xx", "text=ID7", "text=provided%20key",
        "text=%22S%22%3a%22a%20b", "text=GetItem", "origin=client", "origin=all",
        "text=", "operation=GetItem&status=4xx&text=ord"}) {
    INFO(fit);
    CHECK(is_meant(fit));
  }
  for (const char* const unfit : {"operation=Get", "status=404", "status=5xx", "text=id7",
                                  "origin=console", "text=%", "operation=GetItem&status=2xx"})
    CHECK_FALSE(is_meant(unfit));
  request.is_of_console = true;
  CHECK(is_meant("origin=console"));
  CHECK(is_meant("origin=all"));
  CHECK_FALSE(is_meant(""));
  request.is_of_console = false;
  request.is_of_agent = true;
  for (const char* const fit : {"", "origin=mcp", "origin=all"}) CHECK(is_meant(fit));
  for (const char* const unfit : {"origin=client", "origin=console"}) CHECK_FALSE(is_meant(unfit));
  for (const char* const wrong : {"status=4", "status=1xx", "status=6xx", "status=4x0", "origin=me",
                                  "limit=0", "limit=1001", "limit=x", "limit="}) {
    INFO(wrong);
    CHECK_FALSE(read_request_query(wrong));
  }
}

}  // namespace
}  // namespace stator
