// The dispatcher's steps of access control: who signed a request, and whether they may do it.
#include <span>
#include <utility>
#include <vector>

#include "engine/operations/access/access_requests.h"
#include "server/access/decisions/authorization.h"
#include "server/access/sts/sts.h"
#include "server/dispatch/auth.h"
#include "server/dispatch/dispatcher.h"

namespace stator {

namespace {

constexpr std::string_view kXml = "text/xml";

// The canonical texts tell a stranger how to go on, so they are for this machine alone.
Error error_of_refusal(const access::SignatureRefusal& refusal, const HttpRequest& request) {
  switch (refusal.fault) {
    case access::SignatureFault::UnknownKey:
    case access::SignatureFault::WrongToken:
      return Error(ErrorCode::UnrecognizedClient,
                   "The security token included in the request is invalid.");
    case access::SignatureFault::Expired:
      return Error(ErrorCode::ExpiredToken,
                   "The security token included in the request is expired");
    case access::SignatureFault::Mismatch:
      break;
  }
  if (!request.origin().is_loopback) return wrong_signature();
  std::string texts("\n\nThe Canonical String for this request should have been\n'");
  texts.append(refusal.texts.canonical_request);
  texts.append("'\n\nThe String-to-Sign should have been\n'");
  return wrong_signature(texts.append(refusal.texts.string_to_sign).append("'\n"));
}

}  // namespace

// Sets the call's caller, and with access control the sender and the account of the tables.
Result<void> Dispatcher::identify(const HttpRequest& request, Exchange& exchange,
                                  std::string_view body_sha256) {
  Call& call = exchange.call;
  // The console signs with no secret, but has the token that opens the admin path.
  const bool is_console = access_ != nullptr && writer_.origins().has_token(request);
  if (access_ == nullptr || is_console) {
    std::optional<Timestamp> now;
    if (options_.checks_signature_age) now = clock_.now();
    STATOR_TRY(call.caller, authenticate(request, now, call.arena));
    if (is_console) exchange.sender = access_->own_root();
    return {};
  }
  STATOR_TRY(const access::SignatureClaim claim,
             read_claim(request, signed_service(request), clock_.now(), call.arena));
  auto sender = access_->identify(request, claim, body_sha256);
  if (!sender) return error_of_refusal(sender.error(), request);
  exchange.sender = *std::move(sender);
  call.caller = {claim.region, claim.access_key, /*host=*/{}};
  call.settings_of_account = access_->settings_of(exchange.sender->principal.account);
  return {};
}

// What the request needs; of a rejected one what its body shows. A table of another account, which
// only its ARN can name, is in the tables of that account, for which the request is parsed again.
Result<std::vector<TouchedAccess>> Dispatcher::accesses_of(Exchange& exchange, const JsonNode& body,
                                                           Result<void>& parsed) {
  Call& call = exchange.call;
  std::vector<TouchedAccess> touched;
  const auto look = [&] {
    return engine_.look(reads_, [&](const Snapshot& snapshot) -> Result<void> {
      touched = parsed ? touched_accesses(call, snapshot) : readable_accesses(body, call, snapshot);
      return {};
    });
  };
  STATOR_CHECK(look());
  const std::string own(call.settings->account_id);
  for (const TouchedAccess& one : touched) {
    const std::string_view owner = access::account_of(one.table_arn, own);
    if (owner == own) continue;
    const bool is_ours = owner == access_->account();
    const Settings* const settings = access_->settings_of(owner);
    if (!is_ours && settings == nullptr) continue;
    call.settings_of_account = settings;
    parsed = engine_.parse(body, call);
    STATOR_CHECK(look());
    break;
  }
  return touched;
}

// Permission comes before the rules that the request breaks, but after the types of its members:
// without them the keys that policies look at cannot be read. REQUIRES: `parsed` is the outcome of
// parsing the call from `body`, access control evaluates, and identify() succeeded.
Result<void> Dispatcher::authorize(const HttpRequest& request, Exchange& exchange,
                                   const JsonNode& body, Result<void> parsed) {
  Call& call = exchange.call;
  // Policies about Kinesis are not evaluated: its streams are for those who may use the admin path.
  const bool is_kinesis = signed_service(request) == kKinesisService;
  if (is_kinesis && access_->enforces() && !writer_.origins().has_token(request))
    return Error(ErrorCode::AccessDenied,
                 "with --auth iam, Kinesis needs this server's token in the header x-stator-token");
  const bool is_readable = parsed || parsed.error().code() == ErrorCode::Validation;
  if (!is_readable || is_kinesis) return parsed;
  STATOR_TRY(const std::vector<TouchedAccess> touched, accesses_of(exchange, body, parsed));
  const auto denials = access::denials_of(
      *access_, {*exchange.sender, request, call.caller.region, engine_.clock().now()}, touched);
  if (denials.empty() || !access_->enforces()) return parsed;
  if (call.operation->name != "BatchExecuteStatement")
    return Error(ErrorCode::AccessDenied, denials.front().text);
  const auto denied = call.arena.allocate_array<DeniedMember>(denials.size());
  for (std::size_t i = 0; i < denials.size(); ++i)
    denied[i] = {denials[i].member, call.arena.copy(denials[i].text)};
  call.denied_members = denied;
  return engine_.parse(body, call);
}

void Dispatcher::answer_sts(const HttpRequest& request, Exchange& exchange) {
  Call& call = exchange.call;
  access::StsAnswer made;
  const auto claim = read_claim(request, access::kStsService, clock_.now(), call.arena);
  if (!claim) {
    made = access::sts_error_of(claim.error());
  } else {
    const auto sender = access_->identify(request, *claim, access::sha256_hex(request.body()));
    made = sender ? access::answer_sts(*access_, request, **sender, claim->region)
                  : access::sts_error_of(sender.error(), error_of_refusal(sender.error(), request));
  }
  answer(
      request, exchange,
      {.status = made.status, .content_type = kXml, .body = made.body, .closes = exchange.closes});
}

}  // namespace stator
