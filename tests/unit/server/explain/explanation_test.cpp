// server/explain/explanation.h and explain_text.h: what is told of a request, to programs and to
// people.
#include "server/explain/explanation.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/explain/explain_text.h"
#include "server/explain/requests/completed_request.h"
#include "server/explain/requests/index_units.h"

namespace stator {
namespace {

using Part = RecentRequest::Part;
using Hints = std::vector<std::string>;

std::unique_ptr<RecentRequest> query() {
  auto request = std::make_unique<RecentRequest>();
  request->status = 200;
  request->units_milli = 500;
  request->took = std::chrono::microseconds(7);
  request->walked = {.way = ReadStats::ReadKind::Query,
                     .end = ReadStats::End::Limit,
                     .pages = 1,
                     .items_scanned = 3,
                     .items_matched = 2,
                     .size_bytes = 210};
  request->set(Part::Index, "by_mail");
  return request;
}

std::string header(const RecentRequest& request, const Hints& hints) {
  return header_text(request, {.refusal = {}, .hints = hints});
}

std::string summary(const RecentRequest& request, const Findings& findings) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_summary(json, request, findings);
  write_bodies(json, request);
  json.end_object();
  return text;
}

template <class TextOf>
std::string lines(std::string json, const TextOf& text_of) {
  Arena arena;
  const auto told = read_json(json, arena);
  REQUIRE(told);
  return text_of(*told);
}

TEST_CASE("explanation: a header is one line of ASCII", "[server]") {
  const auto request = query();
  CHECK(header(*request, Hints{"a\r\nb \x7F"}) ==
        R"({"units":0.5,"took_us":7,"read":{"way":"Query","index":"by_mail",)"
        R"("pages":1,"items_looked_at":3,"items_matched":2,"bytes":210,"ended_by":"Limit"},)"
        R"("hints":["a\r\nb \u007f"]})");
  request->walked = {};
  request->set(Part::Limits, "TableReadProvisionedThroughputExceeded");
  CHECK(header(*request, Hints{"é\U0001F600"}) ==
        R"({"units":0.5,"took_us":7,)"
        R"("would_be_throttled":"TableReadProvisionedThroughputExceeded",)"
        R"("hints":["\u00e9\ud83d\ude00"]})");
  // Half a character, as cutting leaves it.
  CHECK(header(*request, Hints{"a\xC3"}).ends_with(R"("hints":["a?"]})"));
}

TEST_CASE("explanation: what is not known is left out", "[server]") {
  const auto request = std::make_unique<RecentRequest>();
  request->status = 400;
  request->set(Part::Id, "ID");
  request->set(Part::Error, "ValidationException");
  CHECK(summary(*request, {}) ==
        R"({"sequence":0,"request_id":"ID","time":"1970-01-01T00:00:00.000Z","origin":"client",)"
        R"("status":400,)"
        R"("error":"ValidationException","units":0.0,"took_us":0,"hints":[],)"
        R"("request":"","request_bytes":0,"answer":"","answer_bytes":0})");
}

TEST_CASE("explanation: who sent it, and to which items", "[server]") {
  const auto request = std::make_unique<RecentRequest>();
  request->status = 200;
  request->connection = 7;
  request->set(Part::Agent, "curl/8");
  request->set(Part::Asked, "{", 5000);
  Findings findings;
  findings.items.push_back({.table = "gone", .key_json = ""});
  CHECK(summary(*request, findings).find("items") == std::string::npos);
  for (int i = 0; i < 12; ++i)
    findings.items.push_back({.table = "orders", .key_json = R"({"pk":{"N":"1"}})"});
  findings.items[1].size_bytes = 42;
  const std::string text = summary(*request, findings);
  CHECK(text.find(R"("origin":"client","client":{"agent":"curl/8","connection":7},"status")") !=
        std::string::npos);
  CHECK(text.find(R"("items":[{"table":"orders","key":{"pk":{"N":"1"}},"bytes":42},{)") !=
        std::string::npos);
  std::size_t keys = 0;
  for (std::size_t at = text.find("key\""); at != std::string::npos;
       at = text.find("key\"", at + 1))
    ++keys;
  CHECK(keys == 10);
  CHECK(text.find(R"("request":"{","request_bytes":5000,"cut":true,)") != std::string::npos);
}

TEST_CASE("explanation: the units of each index", "[server]") {
  Call call;
  const IndexUse uses[] = {{"orders", "by_mail", 1500}, {"things", "by_mail", 500}};
  call.index_uses = uses;
  call.units_milli = 3000;
  call.table_name = "orders";
  const auto kept = [&](const Error* error) {
    auto request = std::make_unique<RecentRequest>();
    request->clear_texts();
    keep({.call = call,
          .error = error,
          .id = "ID",
          .operation = "Query",
          .asked = "{}",
          .body_bytes = 2,
          .now = {},
          .took = {}},
         *request);
    return request;
  };
  CHECK(summary(*kept(nullptr), {})
            .find(R"("indexes":[{"table":"orders","index":"by_mail","units":1.5},)"
                  R"({"table":"things","index":"by_mail","units":0.5}],"units":3.0,)") !=
        std::string::npos);
  CHECK(header(*kept(nullptr), {}) == R"({"units":3.0,"took_us":0,"hints":[]})");
  const Error error = Error::validation("no");
  CHECK(summary(*kept(&error), {}).find("indexes") == std::string::npos);
  call.index_uses = {};
  CHECK(summary(*kept(nullptr), {}).find("indexes") == std::string::npos);
}

TEST_CASE("explanation: names of indexes that are too long together are left out", "[server]") {
  const std::string name(255, 'i');
  const std::vector<IndexUse> uses(20, {"orders", name, 1000});
  const IndexUnitsText units(uses);
  auto request = std::make_unique<RecentRequest>();
  request->set(Part::IndexUnits, units.text(), units.whole_bytes());
  const auto shown = recorded_index_uses(*request);
  CHECK(shown.size() == 3072 / units.text().find('\n'));
  for (const IndexUse& use : shown) {
    CHECK(use.table_name == "orders");
    CHECK(use.index_name == name);
    CHECK(use.units_milli == 1000);
  }
  CHECK(summary(*request, {}).find(R"(}],"indexes_cut":true,"units")") != std::string::npos);
}

TEST_CASE("explanation: the rule that refused it", "[server]") {
  const auto request = std::make_unique<RecentRequest>();
  request->status = 400;
  request->set(Part::Error, "ValidationException");
  const Findings findings{.refusal = Refusal{"keys are short", "pk", "", "an \"endless\" one"},
                          .hints = {}};
  CHECK(header_text(*request, findings) ==
        R"({"units":0.0,"took_us":0,"refused":{"rule":"keys are short","attribute":"pk",)"
        R"("given":"an \"endless\" one"},"hints":[]})");
  CHECK(lines(summary(*request, findings), request_text) ==
        "1970-01-01T00:00:00.000Z 400 ValidationException\n"
        "  refused, keys are short: attribute pk, given an \"endless\" one\n"
        "  units 0.0\n"
        "  took 0 us");
}

TEST_CASE("explanation: lines for a terminal", "[server]") {
  const auto request = query();
  request->set(Part::Id, "ID");
  request->set(Part::Operation, "Query");
  request->set(Part::Table, "things");
  request->set(Part::Asked, "{\"a\":\"\x1B[2J\"}", 20);
  request->set(Part::Answered, "{}");
  CHECK(lines(summary(*request, {.refusal = {}, .hints = {"do\nso"}}), request_text) ==
        "1970-01-01T00:00:00.000Z 200 Query things\n"
        "  -> do\\nso\n"
        "  units 0.5\n"
        "  took 7 us\n"
        "  read Query of index by_mail, 1 page with 210 bytes, 3 items looked at, 2 matched, ended "
        "by "
        "Limit, another page follows\n"
        "  request {\"a\":\"\\u001b[2J\"} ... of 20 bytes\n"
        "  answer {}");
}

TEST_CASE("explanation: where a page ended", "[server]") {
  struct Case {
    ReadStats::End end;
    std::int32_t pages;
    std::string pages_text;
    std::string end_text;
  };
  const auto request = query();
  for (const Case& ended :
       {Case{ReadStats::End::All, 1, "1 page", ", all was read"},
        Case{ReadStats::End::Bytes, 3, "3 pages", ", ended by 1 MB, another page follows"},
        Case{ReadStats::End::FilterSteps, 1, "1 page",
             ", ended by steps of the filter, another page follows"},
        Case{ReadStats::End::Throttling, 2, "2 pages",
             ", ended by throttling, another page follows"},
        Case{ReadStats::End::All, 0, "0 pages", ""}}) {
    request->walked.end = ended.end;
    request->walked.pages = ended.pages;
    CHECK(lines(summary(*request, {.refusal = {}, .hints = {}}), request_text)
              .ends_with("\n  read Query of index by_mail, " + ended.pages_text +
                         " with 210 bytes, 3 items looked at, 2 matched" + ended.end_text));
  }
}

TEST_CASE("explanation: limits that refused a part are no prophecy", "[server]") {
  const auto request = std::make_unique<RecentRequest>();
  request->status = 200;
  request->undone = {.parts = 2, .throttled = 1};
  request->set(Part::Limits, "TableWriteProvisionedThroughputExceeded");
  CHECK(header(*request, {}) ==
        R"({"units":0.0,"took_us":0,"throttled":"TableWriteProvisionedThroughputExceeded",)"
        R"("hints":[]})");
  CHECK(lines(summary(*request, {.refusal = {}, .hints = {}}), request_text)
            .ends_with("\n  throttled TableWriteProvisionedThroughputExceeded"));
}

TEST_CASE("explanation: a list is shown oldest first, with counts", "[server]") {
  const std::string told =
      R"({"requests":[)"
      R"({"request_id":"C","time":"3","status":200,"operation":"Scan","hints":["use Query"]},)"
      R"({"request_id":"B","time":"2","status":200,"operation":"GetItem","hints":[]},)"
      R"({"request_id":"A","time":"1","status":400,"error":"E","message":"M","hints":[],"count":12}]})";
  const auto newest_first = [](const JsonNode& list) { return requests_text(list); };
  CHECK(lines(told, newest_first) ==
        "1 400 E: M ×12\n  id A\n2 200 GetItem\n  id B\n3 200 Scan\n  -> use Query\n  id C");
  CHECK(lines(R"({"requests":[]})", newest_first).empty());
  const auto oldest_first = [](const JsonNode& list) { return requests_text(list, true); };
  CHECK(lines(told, oldest_first).starts_with("3 200 Scan\n"));
}

}  // namespace
}  // namespace stator
