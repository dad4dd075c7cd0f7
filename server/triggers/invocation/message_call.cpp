// The delivery of messages about discarded batches: as they are, or as the SDKs send them to SQS
// and SNS.
#include <chrono>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"
#include "server/access/signing/signing.h"
#include "server/client/signature.h"
#include "server/http/query_text.h"
#include "server/options/variables.h"
#include "server/triggers/invocation/function_call.h"

namespace stator::triggers {

namespace {

constexpr std::chrono::seconds kMessageTimeout{10};
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kForm = "application/x-www-form-urlencoded; charset=utf-8";

// The last parts of arn:aws:SERVICE:REGION:ACCOUNT:NAME.
struct DestinationArn {
  std::string_view region;
  std::string_view account;
  std::string_view name;
};

DestinationArn parts_of(std::string_view arn) {
  DestinationArn parts;
  for (std::string_view* const part : {&parts.name, &parts.account, &parts.region}) {
    const std::size_t colon = arn.rfind(':');
    *part = arn.substr(colon + 1);
    arn = arn.substr(0, colon);
  }
  return parts;
}

// Servers on this machine take any.
data::Credentials credentials() {
  data::Credentials found{variable_text("AWS_ACCESS_KEY_ID"),
                          variable_text("AWS_SECRET_ACCESS_KEY"),
                          variable_text("AWS_SESSION_TOKEN")};
  if (found.access_key.empty() || found.secret_key.empty()) return {"local", "local", {}};
  return found;
}

void send_to_queue(WebCall& call, const std::string& arn, const std::string& message) {
  const DestinationArn queue = parts_of(arn);
  const std::string host = host_text(call.server);
  std::string url(call.server.is_tls ? "https://" : "http://");
  url.append(host).append("/").append(queue.account).append("/").append(queue.name);
  JsonWriter json(call.body);
  json.begin_object();
  json.member("QueueUrl", url);
  json.member("MessageBody", message);
  json.end_object();
  call.fields = data::signed_fields({.host = host,
                                     .region = queue.region,
                                     .target = "AmazonSQS.SendMessage",
                                     .body = call.body,
                                     .unix_s = SystemClock{}.now().unix_s(),
                                     .service = "sqs"},
                                    credentials());
}

void publish(WebCall& call, const std::string& arn, const std::string& message) {
  call.body = "Action=Publish&Version=2010-03-31&TopicArn=" + percent_encoded(arn) +
              "&Message=" + percent_encoded(message);
  const std::int64_t now_s = SystemClock{}.now().unix_s();
  const data::Credentials signer = credentials();
  call.fields = {{"content-type", std::string(kForm)},
                 {"host", host_text(call.server)},
                 {"x-amz-date", iso_basic(now_s)}};
  if (!signer.session_token.empty())
    call.fields.emplace_back("x-amz-security-token", signer.session_token);
  call.fields.emplace_back("authorization",
                           data::authorization({.method = "POST",
                                                .path = call.path,
                                                .fields = call.fields,
                                                .payload_sha256 = access::sha256_hex(call.body),
                                                .region = parts_of(arn).region,
                                                .service = "sns",
                                                .unix_s = now_s},
                                               signer));
}

}  // namespace

WebCall message_call(const FailureSink& sink, std::string message) {
  const WebTarget& target = *sink.target;
  WebCall call{server_of(target, kMessageTimeout), target.path.empty() ? "/" : target.path, {}, {}};
  switch (sink.kind) {
    case SinkKind::Queue:
      send_to_queue(call, sink.arn, message);
      break;
    case SinkKind::Topic:
      publish(call, sink.arn, message);
      break;
    case SinkKind::Post:
      call.fields = {{"Content-Type", std::string(kJson)}};
      call.body = std::move(message);
      break;
  }
  return call;
}

}  // namespace stator::triggers
