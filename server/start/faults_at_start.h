// The rules of faults that a server begins with: of --faults and of variables.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "engine/seams/random.h"
#include "server/dispatch/live_settings.h"
#include "server/faults/fault_rules.h"
#include "server/options/options.h"

namespace stator {

class Engine;
class OperationTable;

// Returns nullptr if requests cannot fail on demand. The error is one line: the file of --faults
// cannot be read, or a rule in it, or a variable.
tl::expected<std::unique_ptr<faults::FaultRules>, std::string> make_faults(
    const Options& options, Random& random, const OperationTable& operations, const Engine& engine,
    LiveSettings& settings);

}  // namespace stator
