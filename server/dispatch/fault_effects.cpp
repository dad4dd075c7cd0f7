#include "server/dispatch/fault_effects.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "engine/operations/batches/unprocessed_parts.h"
#include "engine/operations/operation.h"
#include "protocol/errors/stored_error.h"
#include "protocol/json/json_reader.h"
#include "server/faults/fault_answers.h"
#include "server/faults/presets.h"
#include "server/faults/rule_reader.h"

namespace stator {

namespace {

using faults::FaultCancel;
using faults::FaultCorrupt;
using faults::FaultDrop;
using faults::FaultError;
using faults::FaultHttp;
using faults::FaultToken;
using faults::FaultUnprocessed;

// What is known of a request before it is read.
faults::RequestFacts arrival_facts(const HttpRequest& request, const Call& call) {
  faults::RequestFacts facts;
  facts.operation = call.operation->name;
  facts.region = call.caller.region;
  facts.access_key = call.caller.access_key;
  facts.attempt = faults::attempt_in(request.header(Header::AmzSdkRequest));
  facts.head = &request;
  return facts;
}

faults::RequestFacts facts_of(const HttpRequest& request, const Call& call) {
  faults::RequestFacts facts = arrival_facts(request, call);
  facts.access = call.access;
  facts.has_token = !call.client_token.empty();
  if (is_in(faults::RequestGroup::Reads, facts.operation, facts.access))
    facts.is_consistent = call.consistent_read;
  call.operation->resources(call.request, facts.resources);
  std::erase_if(facts.resources, [](const Resource& resource) { return resource.table.empty(); });
  return facts;
}

Result<faults::FaultRule> rule_of_header(std::string_view header, Arena& arena) {
  const auto preset = faults::find_preset(header);
  std::string text(header);
  const auto json = read_json(text, arena);
  if (!preset && !json) return Error::validation("x-stator-fault: the header is not a JSON object");
  auto rule = preset ? faults::read_preset_alone(*preset) : faults::read_effect_alone(*json);
  if (!rule) return Error::validation("x-stator-fault: " + rule.error());
  rule->text = header;
  return std::move(*rule);
}

// For explanations: the client gets a body of the rule's.
constexpr std::string_view kForeignAnswer =
    "The answer is that of a fault on demand, not the service's";

FaultError plain_error(ErrorCode code) {
  FaultError error;
  error.code = code;
  return error;
}

// The error that the fault answers, before or after the request; nullopt if it answers none.
std::optional<FaultError> error_in(const faults::InjectedFault& fault) {
  if (const auto* error = fault.find<FaultError>()) return *error;
  if (const auto* stream = fault.find<faults::FaultStream>())
    return plain_error(stream->is_trimmed ? ErrorCode::TrimmedDataAccess
                                          : ErrorCode::ExpiredIterator);
  if (fault.find<FaultHttp>() != nullptr) {
    FaultError error = plain_error(ErrorCode::InternalFailure);
    error.message = kForeignAnswer;
    return error;
  }
  const auto* const token = fault.find<FaultToken>();
  if (token == nullptr || token->how == FaultToken::How::Forgotten) return std::nullopt;
  return plain_error(token->how == FaultToken::How::Running
                         ? ErrorCode::TransactionInProgress
                         : ErrorCode::IdempotentParameterMismatch);
}

// Statements fail alone, each by its place in the request.
void fail_statements(const faults::RequestFacts& facts, const std::vector<std::size_t>& places,
                     Exchange& exchange) {
  Call& call = exchange.call;
  const auto& unprocessed = *exchange.fault.find<FaultUnprocessed>();
  const StoredError* const error =
      stored(error_of(unprocessed, facts, call.settings->account_id), call.arena);
  const auto failed = call.arena.allocate_array<FailedMember>(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    failed[i] = {facts.resources[places[i]].member, error};
  call.failed_members = failed;
}

// A batch of which no part is done fails, as when all are throttled.
void leave_parts(const faults::RequestFacts& facts, Exchange& exchange) {
  const auto places = unprocessed_places(exchange.fault.of->rule(), facts);
  if (facts.operation == "BatchExecuteStatement") return fail_statements(facts, places, exchange);
  const std::size_t parts = facts.resources.size();
  if (places.size() < parts) return leave_unprocessed(exchange.call, places, parts);
  exchange.fault_error = error_of(plain_error(ErrorCode::ProvisionedThroughputExceeded), facts,
                                  exchange.call.settings->account_id);
}

// The place after the header's name and blank in `head`; npos if it is not there.
std::size_t value_of(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  return at == std::string_view::npos ? at : at + name.size();
}

void change_sum(std::string& out) {
  const std::size_t begin = value_of(out, "\r\nx-amz-crc32: ");
  if (begin == std::string::npos) return;
  const std::size_t end = out.find('\r', begin);
  std::uint32_t sum = 0;
  std::from_chars(out.data() + begin, out.data() + end, sum);
  out.replace(begin, end - begin, std::to_string(sum + 1));
}

// Changes the complete response in `out`.
void corrupt(FaultCorrupt::How how, Exchange& exchange) {
  std::string& out = exchange.out;
  const std::size_t body = out.find("\r\n\r\n") + 4;
  const std::size_t middle = body + (out.size() - body) / 2;
  switch (how) {
    case FaultCorrupt::How::Crc:
      return change_sum(out);
    case FaultCorrupt::How::Byte:
      if (middle < out.size()) out[middle] = static_cast<char>(out[middle] ^ 1);
      return;
    case FaultCorrupt::How::Cut:
      out.resize(middle);
      exchange.closes = true;
      return;
    case FaultCorrupt::How::Empty:
    case FaultCorrupt::How::Json:
      return;
  }
}

}  // namespace

Result<void> inject(faults::FaultRules& rules, const HttpRequest& request, Timestamp now,
                    Exchange& exchange) {
  Call& call = exchange.call;
  const faults::RequestFacts facts = facts_of(request, call);
  if (request.has(Header::XStatorFault)) {
    STATOR_TRY(faults::FaultRule rule,
               rule_of_header(request.header(Header::XStatorFault), call.arena));
    if (!is_possible(rule.effect, facts.operation))
      return Error::validation("x-stator-fault: the service has no such error for this operation");
    exchange.fault = rules.decide_alone(std::move(rule), facts, now);
  } else {
    exchange.fault = rules.decide(facts, now);
  }
  if (const auto error = error_in(exchange.fault))
    exchange.fault_error = error_of(*error, facts, call.settings->account_id);
  if (const auto* page = exchange.fault.find<faults::FaultPage>())
    call.page_items_max = page->items;
  if (const auto* stale = exchange.fault.find<faults::FaultStale>()) call.state_age = stale->age;
  const auto* const token = exchange.fault.find<FaultToken>();
  call.forgets_token = token != nullptr && token->how == FaultToken::How::Forgotten;
  if (const auto* cancel = exchange.fault.find<FaultCancel>())
    exchange.fault_error = error_of(*cancel, facts);
  if (exchange.fault.find<FaultUnprocessed>() != nullptr) leave_parts(facts, exchange);
  return {};
}

bool inject_at_arrival(faults::FaultRules& rules, const HttpRequest& request, Timestamp now,
                       Exchange& exchange) {
  const Call& call = exchange.call;
  const faults::RequestFacts facts = arrival_facts(request, call);
  exchange.fault = rules.decide(facts, now, /*is_arrival=*/true);
  if (const auto error = error_in(exchange.fault))
    exchange.fault_error = error_of(*error, facts, call.settings->account_id);
  return static_cast<bool>(exchange.fault);
}

bool waits_first(const faults::InjectedFault& fault) {
  if (!fault) return false;
  const auto* const drop = fault.find<FaultDrop>();
  return !fault.before.is_none() || (drop != nullptr && !drop->is_after);
}

Result<void> fault_before(Exchange& exchange) {
  if (!exchange.fault_error || exchange.fault.effect().is_after()) return {};
  return exchange.fault_error->copy();
}

const Error* fault_after(const Exchange& exchange) {
  if (!exchange.fault_error || !exchange.fault.effect().is_after()) return nullptr;
  return &*exchange.fault_error;
}

std::uint16_t status_of(const Exchange& exchange, const Error& error) {
  if (const auto* http = exchange.fault.find<FaultHttp>()) return http->status;
  const auto* const fault = exchange.fault.find<FaultError>();
  const bool is_injected = fault != nullptr && fault->status > 0 && fault->code == error.code();
  return is_injected ? fault->status : error_info(error.code()).http_status;
}

std::string_view write_faulted(ResponseWriter& writer, const HttpRequest& request,
                               const Answer& answer, Exchange& exchange) {
  const faults::InjectedFault& fault = exchange.fault;
  const faults::FaultRule& rule = fault.of->rule();
  const std::string header = "rule=" + rule.name + "; n=" + std::to_string(fault.number);
  Answer changed = answer;
  if (!rule.is_hidden) changed.fault = header;
  if (const auto* http = fault.find<FaultHttp>()) {
    changed.body = http->body;
    changed.more_headers = http->header_lines;
    writer.write_foreign(request, changed, exchange.out);
    return {};
  }
  const auto* const corruption = fault.find<FaultCorrupt>();
  if (corruption == nullptr) return writer.write(request, changed, exchange.out);
  if (corruption->how == FaultCorrupt::How::Empty) changed.body = {};
  if (corruption->how == FaultCorrupt::How::Json)
    changed.body = changed.body.substr(0, changed.body.size() / 2);
  changed.body_stays = false;  // the writer copies it
  [[maybe_unused]] const std::string_view rest = writer.write(request, changed, exchange.out);
  corrupt(corruption->how, exchange);
  return {};
}

}  // namespace stator
