// The command lines of `stator apply` and `stator schema`.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator::templates {

// Whether the word is apply or schema.
bool is_template_command(std::string_view word);

// Reads the `arguments` after `command`. Throws CLI::Error. REQUIRES: is_template_command(command).
tl::expected<Command, OptionsExit> read_template_options(
    std::string_view command, std::span<const std::string_view> arguments);

}  // namespace stator::templates
