// The command lines of import, export and copy.
#pragma once

#include <span>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"
#include "server/options/options.h"

namespace stator::data {

// Read the arguments after the command. Throw CLI::Error.
tl::expected<Command, OptionsExit> read_import_options(std::span<const std::string_view> arguments);
tl::expected<Command, OptionsExit> read_export_options(std::span<const std::string_view> arguments);
tl::expected<Command, OptionsExit> read_copy_options(std::span<const std::string_view> arguments);

// The process's own server as an endpoint, with Region and access key from the environment.
Endpoint own_endpoint(const HealthOptions& server);

// A server of S3 as an endpoint, with Region and credentials from the environment.
Endpoint s3_endpoint(const HealthOptions& server);
// A server of Kinesis as an endpoint. Each request is signed for the Region of its stream.
Endpoint kinesis_endpoint(const HealthOptions& server);

}  // namespace stator::data
