// server/explain/hints/refusal.h: the explanation of requests that real operations refuse. The
// requests are in tests/cases/server.
#include "server/explain/hints/refusal.h"

#include <array>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include "engine/api/operation_table.h"
#include "protocol/errors/rule.h"
#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "server/explain/hints/refusal_rules.h"
#include "server/explain/requests/completed_request.h"
#include "streams/operations.h"
#include "tests/cases/case_file.h"
#include "tests/unit/engine/harness/table_text.h"
#include "tests/unit/server/harness/server_under_test.h"

namespace stator {
namespace {

using test::CaseFile;
using test::CaseLine;
using test::CaseReport;
using Part = RecentRequest::Part;

// How often each rule was broken.
std::array<int, kRules> broken{};

class Explanation {
 public:
  std::string answer(const std::string& operation, const std::string& body) {
    return server_.answer(
        "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "X-Amz-Target: DynamoDB_20120810." +
        operation +
        "\r\nX-Amz-Date: 20260101T000000Z\r\nX-Stator-Explain: 1\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=00\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  Rule last_rule() const {
    Rule rule{};
    recent_.look([&rule](const RecentRequest& request) {
      rule = request.rule;
      return false;
    });
    return rule;
  }

 private:
  RecentRequests recent_{1};
  test::ServerUnderTest server_{Options{}, OperationTable(all_families()), &recent_};
};

std::string member(const JsonNode& object, std::string_view name) {
  const JsonNode* const found = object.find(name);
  return found == nullptr ? "-" : std::string(found->text());
}

// "rule | attribute | expected | given" of an answer's header; the answer when there is none.
std::string told(const std::string& answer) {
  constexpr std::string_view kHeader = "\r\nx-stator-explain: ";
  const std::size_t begin = answer.find(kHeader);
  if (begin == std::string::npos) return answer;
  std::string json = answer.substr(begin + kHeader.size());
  json.resize(json.find("\r\n"));
  Arena arena;
  const auto explained = read_json(json, arena);
  const JsonNode* const refused = explained ? explained->find("refused") : nullptr;
  if (refused == nullptr) return answer;
  return member(*refused, "rule") + " | " + member(*refused, "attribute") + " | " +
         member(*refused, "expected") + " | " + member(*refused, "given");
}

CaseReport run_refusals(const CaseFile& file) {
  Explanation explained;
  CaseReport report;
  std::string title;
  for (const CaseLine& line : file.lines) {
    if (line.kind == CaseLine::Kind::Title) title = line.text;
    if (line.kind != CaseLine::Kind::Case) continue;
    const std::size_t blank = line.text.find(' ');
    const std::string rest = line.text.substr(blank + 1);
    const bool is_table = line.text.starts_with("table ");
    const std::string answer =
        is_table ? explained.answer("CreateTable", test::create_table_request(rest))
                 : explained.answer(line.text.substr(0, blank), test::strict_json(rest));
    if (line.expectations.empty()) {
      report.compare(file, line, title, "HTTP/1.1 200 OK", answer.substr(0, answer.find("\r\n")));
      continue;
    }
    report.compare(file, line, title, line.expectations.front(), told(answer));
    ++broken[static_cast<std::size_t>(explained.last_rule())];
  }
  return report;
}

TEST_CASE("refusal: the rule of each request that is refused, and each rule", "[server]") {
  broken.fill(0);
  test::run_case_folder("server", run_refusals);
  if (std::getenv("STATOR_CASE") != nullptr) return;
  for (std::size_t i = 1; i < kRules; ++i) {
    INFO(i << ": " << refusal_rule(static_cast<Rule>(i)).text);
    CHECK(broken[i] > 0);
  }
}

TEST_CASE("refusal: what wraps an error keeps its rule and its place", "[server]") {
  const Error inner = Error::validation("Numbers are short")
                          .with_rule(Rule::NumberText, {"1e999", std::string(300, 'x')})
                          .with_place(":n");
  const Error error = inner.copy().within("Invalid: ", " for key :n").with_place("Item");
  CHECK(error.message() == "Invalid: Numbers are short for key :n");
  CHECK(error.statement() == "Numbers are short");
  CHECK(error.broken_rule().rule == Rule::NumberText);
  CHECK(error.broken_rule().place == ":n");
  CHECK(error.broken_rule().values[1].size() == kRuleValueBytesMax);
  CHECK(inner.message() == "Numbers are short");

  RecentRequest request;
  Call call;
  keep({.call = call,
        .error = &error,
        .id = {},
        .operation = {},
        .asked = {},
        .body_bytes = 0,
        .now = {},
        .took = {}},
       request);
  const Refusal refusal = read_refusal(request);
  CHECK(refusal.rule == "a number is a decimal number");
  CHECK(refusal.attribute == ":n");
  CHECK(refusal.given == "1e999");
}

TEST_CASE("refusal: an error without a rule tells its statement", "[server]") {
  RecentRequest request;
  Call call;
  const auto keep_error = [&](const Error& error) {
    request.clear_texts();
    keep({.call = call,
          .error = &error,
          .id = {},
          .operation = {},
          .asked = {},
          .body_bytes = 0,
          .now = {},
          .took = {}},
         request);
    return read_refusal(request);
  };
  const Refusal known = keep_error(
      Error::validation("Something new").within("Invalid FilterExpression: ").with_place("Filter"));
  CHECK((known.rule == "Something new" && known.attribute == "Filter"));
  CHECK(keep_error(Error::internal_failure()).rule.empty());
  // A message that is too long is cut, and its statement with it.
  const std::string text(5000, 's');
  CHECK(keep_error(Error::validation(text).within("before ", " after")).rule ==
        text.substr(0, RecentRequest::bytes_max(Part::Message) - 7));
  CHECK(keep_error(Error::validation("last").within(text)).rule.empty());
}

}  // namespace
}  // namespace stator
