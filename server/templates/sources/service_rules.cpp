#include "server/templates/sources/service_rules.h"

#include "engine/api/families.h"
#include "engine/api/operation_table.h"
#include "engine/call/call.h"
#include "protocol/json/json_reader.h"

namespace stator::templates {

std::optional<std::string> refusal_of(std::string create_body) {
  const OperationTable operations(engine_families());
  Call call;
  call.operation = operations.find(std::string(kDynamoDbTarget).append("CreateTable"));
  call.wording = Wording::of(Profile::Current, call.operation->layer);
  const auto body = read_json(create_body, call.arena);
  if (!body) return "it is no JSON";
  const auto parsed = call.operation->parse(*body, call);
  if (parsed) return std::nullopt;
  return parsed.error().message();
}

}  // namespace stator::templates
