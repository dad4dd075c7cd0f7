#include "tests/model/access/plain_policy.h"

#include <string_view>

#include "protocol/json/json_writer.h"

namespace stator::access::model {
namespace {

void write_list(JsonWriter& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name);
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

// REQUIRES: no two conditions have the same operator.
void write_conditions(JsonWriter& out, const std::vector<PlainCondition>& conditions) {
  if (conditions.empty()) return;
  out.key("Condition");
  out.begin_object();
  for (const PlainCondition& condition : conditions) {
    out.key(condition.op);
    out.begin_object();
    write_list(out, condition.key, condition.values);
    out.end_object();
  }
  out.end_object();
}

}  // namespace

std::string to_document(const PlainPolicy& policy) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.member("Version", policy.has_variables ? "2012-10-17" : "2008-10-17");
  out.key("Statement");
  out.begin_array();
  for (const PlainStatement& statement : policy.statements) {
    out.begin_object();
    out.member("Effect", statement.is_deny ? "Deny" : "Allow");
    write_list(out, statement.is_not_action ? "NotAction" : "Action", statement.actions);
    write_list(out, statement.is_not_resource ? "NotResource" : "Resource", statement.resources);
    if (!statement.principals.empty()) {
      out.key(statement.is_not_principal ? "NotPrincipal" : "Principal");
      out.begin_object();
      write_list(out, "AWS", statement.principals);
      out.end_object();
    }
    write_conditions(out, statement.conditions);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return text;
}

}  // namespace stator::access::model
