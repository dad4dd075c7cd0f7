// Reads the command line and the environment, in Stator's own style or in DynamoDB Local's.
//
// Both styles end in the same struct. A flag wins over its environment variable (STATOR_DB_PATH for
// --db-path), a variable over the defaults of a style. The first word may be another command than
// serving: `health`, `clock`, `mark`, `reset`, `capacity`, `explain`, `fault`, `mcp`, `import`,
// `export`, `copy`, `backup`, `check`, `compact`, `version`, `help`. Started under the name java,
// the program reads what Java would read (java_launcher.h).
#pragma once

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

tl::expected<Command, OptionsExit> parse_command(int argc, const char* const* argv);

// As above, for command lines that serve.
tl::expected<Options, OptionsExit> parse_options(int argc, const char* const* argv);

}  // namespace stator
