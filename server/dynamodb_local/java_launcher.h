// The part of a command line that is Java's: `java [its options] -jar DynamoDBLocal.jar`.
//
// Containers and test libraries start DynamoDB Local through a program named java. A link of that
// name to Stator takes the same words, passes over the options of the virtual machine, and refuses
// what is not DynamoDB Local with Java's own lines and status. What remains is DynamoDB Local's
// command line. Statuses and texts are those of Java 17.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/options.h"

namespace stator {

// Whether a program started as `program` (argv[0]) stands in the place of Java.
bool is_java_name(std::string_view program);

// Whether the arguments, given to java, can only be Stator's own: they begin with one of its
// commands or with a long flag that Java has not.
bool begins_own_command_line(std::span<const std::string_view> arguments);

// The arguments behind the jar file or the main class. An exit where Java would end by itself
// (-version, -help) or fail.
tl::expected<std::span<const std::string_view>, OptionsExit> behind_java(
    std::span<const std::string_view> arguments);

// The same for `stator`, where Java's part may be missing, whole or from the jar file on.
tl::expected<std::span<const std::string_view>, OptionsExit> behind_optional_java(
    std::span<const std::string_view> arguments);

}  // namespace stator
