// Calls of functions: which request, and what responses mean.
#include "server/triggers/invocation/function_call.h"

#include <string>

#include <catch2/catch.hpp>

#include "server/options/trigger_flags.h"

namespace stator {
namespace {

using namespace triggers;
using Kind = CallResult::Kind;

HttpClientResponse response(unsigned status, std::string body, std::string error = {}) {
  HttpClientResponse made{status, std::move(body)};
  if (!error.empty()) made.fields.emplace_back("x-amz-function-error", std::move(error));
  return made;
}

TEST_CASE("function calls: the path of the request", "[server]") {
  struct Row {
    const char* flag;
    const char* function;
    const char* path;
  };
  for (const Row& row : {
           Row{"f=http://h:3001", "F", "/2015-03-31/functions/F/invocations"},
           Row{"f=http://h:3001/", "F:live", "/2015-03-31/functions/F/invocations?Qualifier=live"},
           Row{"f=http://h:3001", "F:$LATEST",
               "/2015-03-31/functions/F/invocations?Qualifier=%24LATEST"},
           Row{"f=http://h/2015-03-31/functions/function/invocations", "F:live",
               "/2015-03-31/functions/function/invocations"},
           Row{"f=http://h/hook?x=1", "F:live", "/hook?x=1"},
       }) {
    CAPTURE(row.flag, row.function);
    const FunctionTarget target = parse_function(row.flag);
    const std::string arn = std::string("arn:aws:lambda:r:a:function:") + row.function;
    const WebCall call = function_call(target, arn, "{}");
    CHECK(call.path == row.path);
    CHECK(call.server.timeout == std::chrono::seconds(60));
  }
}

TEST_CASE("function calls: what an answer is", "[server]") {
  const std::string error = R"({"errorType":"E","errorMessage":"bad"})";
  struct Row {
    HttpClientResponse answer;
    Kind api;
    Kind emulator;
  };
  for (const Row& row : {
           Row{response(200, "{}"), Kind::Answered, Kind::Answered},
           Row{response(200, error), Kind::Answered, Kind::FunctionError},
           Row{response(200, "Task timed out after 3.00 seconds"), Kind::Answered,
               Kind::FunctionError},
           Row{response(200, error, "Unhandled"), Kind::FunctionError, Kind::FunctionError},
           Row{response(302, ""), Kind::ServiceError, Kind::ServiceError},
           Row{response(400, ""), Kind::FunctionError, Kind::FunctionError},
           Row{response(404, ""), Kind::ServiceError, Kind::ServiceError},
           Row{response(429, error), Kind::ServiceError, Kind::ServiceError},
           Row{response(500, ""), Kind::FunctionError, Kind::FunctionError},
           Row{response(502, ""), Kind::ServiceError, Kind::ServiceError},
           Row{response(502, error), Kind::FunctionError, Kind::FunctionError},
           Row{response(503, ""), Kind::ServiceError, Kind::ServiceError},
           Row{response(200, std::string(kAnswerBytesMax + 1, 'x')), Kind::FunctionError,
               Kind::FunctionError},
       }) {
    CAPTURE(row.answer.status, row.answer.body.substr(0, 100));
    CHECK(read_response(FunctionKind::Api, row.answer).kind == row.api);
    CHECK(read_response(FunctionKind::Emulator, row.answer).kind == row.emulator);
  }
  CHECK(read_response(FunctionKind::Api, tl::unexpected(HttpClientError{"refused", false})).kind ==
        Kind::ServiceError);
  const CallResult late =
      read_response(FunctionKind::Api, tl::unexpected(HttpClientError{"late", true}));
  CHECK(late.kind == Kind::FunctionError);
  CHECK(late.error == "Unhandled");
}

TEST_CASE("function flags: kinds, limits and mistakes", "[server]") {
  const FunctionTarget image =
      parse_function("f=http://h:9000/2015-03-31/functions/function/invocations");
  CHECK(image.kind == FunctionKind::Emulator);
  CHECK(image.concurrency == 1);
  const FunctionTarget api = parse_function("my-fn=https://[::1]/x,concurrency=4,timeout=3s");
  CHECK(api.name == "my-fn");
  CHECK(api.target.is_tls);
  CHECK(api.target.host == "::1");
  CHECK(api.target.port == 443);
  CHECK(api.target.path == "/x");
  CHECK(api.kind == FunctionKind::Api);
  CHECK(api.concurrency == 4);
  CHECK(api.timeout == std::chrono::seconds(3));
  const FunctionTarget fetched = parse_function("my-fn");
  CHECK(fetched.kind == FunctionKind::Runtime);
  CHECK(fetched.timeout == std::chrono::seconds(60));
  const FunctionTarget quick = parse_function("my-fn,timeout=3s,concurrency=2");
  CHECK(quick.kind == FunctionKind::Runtime);
  CHECK(quick.name == "my-fn");
  CHECK(quick.timeout == std::chrono::seconds(3));
  CHECK(quick.concurrency == 2);
  for (const char* const text :
       {"http://h", "f=", "f=ftp://h", "f=http://", "a b=http://h", "f=http://h:0",
        "f=http://h,kind=x", "f=http://h,concurrency=0", "f=http://h,timeout=1h", "f,kind=api",
        "f,", ",", "", "f=http://h/a\r\nb"}) {
    CAPTURE(text);
    CHECK_THROWS(parse_function(text));
  }
  CHECK(parse_failure_sink("arn:aws:sqs:r:a:q=http://h/x").target->path == "/x");
  CHECK(parse_failure_sink("arn:aws:s3:::b=/tmp/x").folder == "/tmp/x");
  CHECK_THROWS(parse_failure_sink("arn"));
  const char* const queue = "arn:aws:sqs:eu-west-1:123456789012:q";
  const FailureSink sink = parse_failure_sink(std::string(queue) + "=http://h:9324,kind=sqs");
  CHECK(sink.kind == SinkKind::Queue);
  CHECK(sink.target->port == 9324);
  CHECK(parse_failure_sink(std::string(queue) + "=http://h/a,b,kind=post").target->path == "/a,b");
  for (const char* const text : {"=http://h/x,kind=sqs", "=http://h,kind=sns", "=http://h,kind=x"})
    CHECK_THROWS(parse_failure_sink(queue + std::string(text)));
  CHECK_THROWS(parse_failure_sink("arn:aws:sqs=http://h,kind=sqs"));
}

// The value of a header.
std::string field_of(const WebCall& call, std::string_view name) {
  for (const auto& [found, value] : call.fields) {
    if (found == name) return value;
  }
  return {};
}

TEST_CASE("failure messages: to queues and topics as the SDKs send them", "[server]") {
  const WebCall sent = message_call(
      parse_failure_sink("arn:aws:sqs:eu-west-1:123456789012:q=http://h:9324,kind=sqs"),
      "{\"a\":1}");
  CHECK(sent.path == "/");
  CHECK(sent.body == R"({"QueueUrl":"http://h:9324/123456789012/q","MessageBody":"{\"a\":1}"})");
  CHECK(field_of(sent, "x-amz-target") == "AmazonSQS.SendMessage");
  CHECK(field_of(sent, "content-type") == "application/x-amz-json-1.0");
  CHECK(field_of(sent, "authorization").find("/eu-west-1/sqs/aws4_request") != std::string::npos);
  const WebCall published = message_call(
      parse_failure_sink("arn:aws:sns:eu-west-1:123456789012:t=https://h,kind=sns"), "{\"a\":1}");
  CHECK(published.body ==
        "Action=Publish&Version=2010-03-31&TopicArn=arn%3Aaws%3Asns%3Aeu-west-1%3A123456789012%3At"
        "&Message=%7B%22a%22%3A1%7D");
  CHECK(field_of(published, "content-type").starts_with("application/x-www-form-urlencoded"));
  CHECK(field_of(published, "authorization").find("/eu-west-1/sns/aws4_request") !=
        std::string::npos);
}

}  // namespace
}  // namespace stator
