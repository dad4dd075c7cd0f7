#include "server/access/sts/sts.h"

#include <utility>

#include "server/access/sts/assume_role.h"
#include "server/access/sts/sts_xml.h"
#include "server/access/sts/web_identity.h"
#include "server/http/header_text.h"
#include "server/http/query_text.h"

namespace stator::access {

namespace {

StsAnswer caller_identity(const Identity& identity) {
  return {200, sts_response("GetCallerIdentity",
                            xml_elements({{"Arn", identity.principal.arn},
                                          {"UserId", identity.id},
                                          {"Account", identity.principal.account}}))};
}

StsAnswer answer_to(std::string_view action, const tl::expected<std::string, StsError>& made) {
  if (made) return {200, sts_response(action, *made)};
  return {made.error().status, sts_error_body(made.error().code, made.error().message)};
}

// Whether the query is a call that was signed in advance, as a program hands it to another one to
// prove who it is.
bool is_presigned_call(std::string_view query) {
  bool has_action = false;
  bool has_signature = false;
  for_each_parameter(query, [&](std::string_view name, std::string_view /*value*/) {
    has_action = has_action || name == "Action";
    has_signature = has_signature || name == "X-Amz-Signature";
    return !has_action || !has_signature;
  });
  return has_action && has_signature;
}

StsForm form_of(const HttpRequest& request) {
  return StsForm(request.method() == Method::Get ? request.query() : request.body());
}

}  // namespace

bool is_unsigned_sts_request(const HttpRequest& request) {
  return form_of(request).text("Action") == kWebIdentityCall;
}

StsAnswer answer_unsigned_sts(AccessControl& access, const HttpRequest& request) {
  return answer_to(kWebIdentityCall, assume_role_with_web_identity(access, form_of(request)));
}

bool is_sts_request(const HttpRequest& request) {
  constexpr std::string_view kForm = "application/x-www-form-urlencoded";
  if (request.path() != "/" || request.has(Header::XAmzTarget)) return false;
  if (request.method() == Method::Get) return is_presigned_call(request.query());
  std::string_view type = request.header(Header::ContentType);
  return request.method() == Method::Post &&
         equals_ignoring_case(trim_blanks(next_part(type, ';')), kForm);
}

StsAnswer answer_sts(AccessControl& access, const HttpRequest& request, const Identity& identity,
                     std::string_view region) {
  const StsForm form = form_of(request);
  const std::string_view action = form.text("Action");
  if (action == "GetCallerIdentity") return caller_identity(identity);
  const auto answered = [action](const tl::expected<std::string, StsError>& made) {
    return answer_to(action, made);
  };
  if (action == "AssumeRole") return answered(assume_role(access, form, request, identity, region));
  if (action == "GetSessionToken") return answered(session_token(access, form, identity));
  if (action == "GetFederationToken")
    return answered(federation_token(access, form, request, identity, region));
  std::string message("Could not find operation ");
  message.append(action).append(" for version ").append(form.text("Version"));
  return {400, sts_error_body("InvalidAction", message)};
}

StsAnswer sts_error_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::MissingAuthenticationToken:
      return {403, sts_error_body("MissingAuthenticationToken", error.message())};
    case ErrorCode::UnrecognizedClient:
      return {403, sts_error_body("InvalidClientTokenId", error.message())};
    case ErrorCode::InvalidSignature:
      return {403, sts_error_body("SignatureDoesNotMatch", error.message())};
    default:
      return {400, sts_error_body("IncompleteSignature", error.message())};
  }
}

StsAnswer sts_error_of(const SignatureRefusal& refusal, const Error& error) {
  if (refusal.fault == SignatureFault::Expired)
    return {403, sts_error_body("ExpiredToken", error.message())};
  return sts_error_of(error);
}

}  // namespace stator::access
