// The dispatcher's steps of access control: who signed a request, and whether they may do it.
#include <span>
#include <utility>
#include <vector>

#include "engine/operations/access/access_requests.h"
#include "protocol/policy/policy_document.h"
#include "protocol/shapes/shape.h"
#include "server/access/decisions/authorization.h"
#include "server/access/sts/sts.h"
#include "server/dispatch/auth.h"
#include "server/dispatch/dispatcher.h"
#include "server/log/log.h"

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

// A policy may not keep its sender from putting another one, unless the request says so. The
// sender's own permissions count, with their conditions (conformance/observed/policies.md 2).
Result<void> check_lockout(const access::Sender& sender, const std::vector<TouchedAccess>& touched,
                           const JsonNode& body, const Call& call) {
  const bool is_judged = call.operation->name == "PutResourcePolicy" && touched.size() == 1 &&
                         !boolean_member(body, "ConfirmRemoveSelfResourceAccess").value_or(false);
  if (!is_judged) return {};
  const TouchedAccess& put = touched.front();
  const PolicyOwner owner =
      put.resource == put.table_arn ? PolicyOwner::Table : PolicyOwner::Stream;
  STATOR_TRY(const std::string document, stored_policy(*string_member(body, "Policy"), owner));
  if (!access::locks_out(sender, put, document)) return {};
  return Error(ErrorCode::AccessDenied,
               "The new resource policy will not allow you to update the resource policy in the "
               "future.");
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
  const std::string& account = exchange.sender->principal.account;
  call.settings_of_account = access_->settings_of(account);
  // Without settings of its own the call would use the tables of the server's account.
  if (call.settings_of_account == nullptr && account != access_->account())
    return Error(ErrorCode::AccessDenied, "there is no room for tables of account " + account);
  return {};
}

Result<void> Dispatcher::verify(const HttpRequest& request, Exchange& exchange,
                                std::string_view service) {
  STATOR_TRY(const access::SignatureClaim claim,
             read_claim(request, service, clock_.now(), exchange.call.arena));
  const auto sender = access_->identify(request, claim, access::sha256_hex(request.body()));
  if (!sender) return error_of_refusal(sender.error(), request);
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
    call.settings_of_account = is_ours && admin_ != nullptr ? admin_->changed_settings() : settings;
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
  const access::Sender sender{exchange.sender, request, call.caller.region, engine_.clock().now()};
  const access::Denials found = access::denials_of(*access_, sender, touched);
  exchange.denied_request = found.request;
  if (!access_->enforces()) return parsed;
  if (found.list.empty()) {
    if (parsed) return check_lockout(sender, touched, body, call);
    return parsed;
  }
  const std::vector<access::Denial>& denials = found.list;
  if (call.operation->name != "BatchExecuteStatement")
    return Error(ErrorCode::AccessDenied, denials.front().text);
  const auto denied = call.arena.allocate_array<DeniedMember>(denials.size());
  for (std::size_t i = 0; i < denials.size(); ++i)
    denied[i] = {denials[i].member, call.arena.copy(denials[i].text)};
  call.denied_members = denied;
  return engine_.parse(body, call);
}

// Where nothing is decided. An access key that was not verified stands for a user of its name.
void Dispatcher::note_permissions(const HttpRequest& request, Exchange& exchange) {
  const Call& call = exchange.call;
  if (call.is_of_own_tool || signed_service(request) == kKinesisService) return;
  const auto sender =
      exchange.sender != nullptr ? exchange.sender : noted_->stand_in(call.caller.access_key);
  const Timestamp now = engine_.clock().now();
  const auto looked = engine_.look(reads_, [&](const Snapshot& snapshot) -> Result<void> {
    for (const TouchedAccess& one : touched_accesses(call, snapshot))
      noted_->advisor().note(*sender, one.action, one.resource, one.context, /*is_allowed=*/true,
                             now);
    return {};
  });
  if (!looked) log::warn("a permission is not noted: " + looked.error().message());
}

void Dispatcher::answer_sts(const HttpRequest& request, Exchange& exchange) {
  Call& call = exchange.call;
  access::StsAnswer made;
  const auto claim = read_claim(request, access::kStsService, clock_.now(), call.arena);
  if (access::is_unsigned_sts_request(request)) {
    made = access::answer_unsigned_sts(*access_, request);
  } else if (!claim) {
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
