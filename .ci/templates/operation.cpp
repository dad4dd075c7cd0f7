// $name.

#include "engine/operations/define.h"
$includes
namespace stator {
namespace {

struct $name {
  static constexpr std::string_view name = "$name";
  // TODO: the wording of its errors, with evidence (protocol/service/wording.h).
  static constexpr Layer layer = Layer::Classic;
  struct Request {$members};

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    $checks
    // TODO: the errors that the model's constraints do not cover, in the service's order.
    return call.arena.make<Request>($values);
  }

  static Result<void> execute(const Request& /*request*/, const Snapshot& /*snapshot*/,
                              $mutation Call& /*call*/) {
    // TODO: what it does. Until then it answers as an operation that is not built.
    return Error::unknown_operation();
  }
$resources};

}  // namespace

Operation ${row}() { return define<$name>(); }

}  // namespace stator
