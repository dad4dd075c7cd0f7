// One request to the Lambda API, and its answer: what the operations of this folder have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/api/engine.h"
#include "engine/call/call.h"
#include "engine/call/settings.h"
#include "engine/seams/random.h"
#include "protocol/json/json_tree.h"
#include "server/triggers/api/lambda_error.h"
#include "server/triggers/functions.h"
#include "server/triggers/mapping_store.h"

namespace stator::triggers {

// What the operations work on; must outlive them.
struct LambdaParts {
  Engine& engine;
  const Settings& settings;
  MappingStore& mappings;
  const Functions& functions;
};

struct LambdaAnswer {
  std::uint16_t status = 200;
  std::string body;  // JSON; empty with status 204
};

struct LambdaCall {
  LambdaParts& parts;
  Random& random;
  Engine::Reader& reader;  // of this call alone
  std::string_view region;
  std::string_view scope;  // of the caller's tables and mappings
  std::string_view query;  // of the target, as sent
  std::string name;        // the path's variable part, decoded: a UUID, a function or an ARN
  const JsonNode* body;    // an object; nullptr: there was none

  // The value of a query parameter, decoded; empty if it was not sent.
  std::optional<std::string> parameter(std::string_view wanted) const;
};

// The page's size that the parameter MaxItems asks for, at most `most`.
LambdaResult<std::size_t> read_max_items(const LambdaCall& call, std::size_t most);

// Whether the path's name can be a UUID.
LambdaResult<void> check_uuid(const LambdaCall& call);

// Turns the store's error into an answer, and logs it.
LambdaRefusal store_failure(const Error& error);

using LambdaOperation = LambdaResult<LambdaAnswer>(const LambdaCall& call);

LambdaOperation create_mapping;
LambdaOperation get_mapping;
LambdaOperation list_mappings;
LambdaOperation update_mapping;
LambdaOperation delete_mapping;
LambdaOperation list_tags;
LambdaOperation tag_resource;
LambdaOperation untag_resource;
LambdaOperation get_function;
LambdaOperation get_function_configuration;
LambdaOperation list_functions;

}  // namespace stator::triggers
