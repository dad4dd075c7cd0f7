// What a fault on demand does to a request on its way through the dispatcher. Sessions do what
// takes time or ends the connection.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "server/dispatch/dispatcher.h"

namespace stator {

// Decides by the rules, or by the request's header x-stator-fault, and fills exchange.fault. The
// error says what is wrong in that header. REQUIRES: the typed request is in exchange.call.
Result<void> inject(faults::FaultRules& rules, const HttpRequest& request, Timestamp now,
                    Exchange& exchange);

// Decides by the rules for the arrival of requests. Returns whether the request fails; nothing else
// of it is then read. REQUIRES: operation and sender are in exchange.call.
bool inject_at_arrival(faults::FaultRules& rules, const HttpRequest& request, Timestamp now,
                       Exchange& exchange);

// Whether a delay or a drop comes before the request is executed.
bool waits_first(const faults::InjectedFault& fault);

// The error that the fault answers instead of executing the request, if it does.
Result<void> fault_before(Exchange& exchange);
// The error that the fault answers after the request was executed; nullptr: none.
const Error* fault_after(const Exchange& exchange);

// The HTTP status of the answer with this error.
std::uint16_t status_of(const Exchange& exchange, const Error& error);

// As ResponseWriter::write(), with what the fault does to the answer.
[[nodiscard]] std::string_view write_faulted(ResponseWriter& writer, const HttpRequest& request,
                                             const Answer& answer, Exchange& exchange);

}  // namespace stator
