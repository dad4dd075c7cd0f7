// The part of a command line that is for Java: `java [its options] -jar DynamoDBLocal.jar`.
//
// Containers and test libraries start DynamoDB Local through a program named java. A link of that
// name to Stator accepts the same words. It skips the options of the virtual machine, and rejects
// anything but DynamoDB Local with Java's own lines and status. The rest is DynamoDB Local's
// command line. Statuses and texts are those of Java 17.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options/options.h"

namespace stator {

// Whether a program started as `program` (argv[0]) replaces Java.
bool is_java_name(std::string_view program);

// Whether the arguments, given to java, can only be Stator's own: they begin with one of its
// commands, or with a long flag that Java lacks.
bool begins_own_command_line(std::span<const std::string_view> arguments);

// Returns the arguments after the jar file or the main class. Exits where Java would end (-version,
// -help) or fail.
tl::expected<std::span<const std::string_view>, OptionsExit> behind_java(
    std::span<const std::string_view> arguments);

// As above, for the name `stator`: Java's part may be missing, or may end before the jar file.
tl::expected<std::span<const std::string_view>, OptionsExit> behind_optional_java(
    std::span<const std::string_view> arguments);

}  // namespace stator
