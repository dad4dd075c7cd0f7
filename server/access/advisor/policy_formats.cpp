#include "server/access/advisor/policy_formats.h"

#include <array>
#include <initializer_list>
#include <map>
#include <utility>

#include "protocol/json/json_writer.h"
#include "protocol/service/arn.h"

namespace stator::access {

namespace {

constexpr std::array<std::pair<std::string_view, PolicyFormat>, 4> kFormats{{
    {"json", PolicyFormat::Json},
    {"terraform", PolicyFormat::Terraform},
    {"cdk", PolicyFormat::Cdk},
    {"sam", PolicyFormat::Sam},
}};

// What a tool writes for the parts of an ARN that depend on where it deploys.
struct Placeholders {
  std::string_view partition;
  std::string_view region;
  std::string_view account;
};

void append_all(std::string& out, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) out.append(part);
}

std::string json_text(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

// The ARN of a table, or of something in one, in terms of the tool; empty for any other text.
std::string portable_arn(std::string_view resource, const Placeholders& with) {
  const auto arn = parse_table_arn(resource);
  const bool is_all = resource.ends_with(":table/*");  // of lists, whose tables have no name
  if (!arn && !is_all) return {};
  const std::string_view tail = resource.substr(resource.find(":table/"));
  std::string out("arn:");
  append_all(out, {with.partition, ":dynamodb:", with.region, ":", with.account, tail});
  return out;
}

// A name for the program text: of user/dev "dev"; unique by its number.
std::string identifier_of(std::string_view principal, std::size_t number) {
  const std::string_view name = principal.substr(principal.find_last_of("/:") + 1);
  std::string out;
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += fits ? c : '_';
  }
  if (out.empty() || (out.front() >= '0' && out.front() <= '9')) out.insert(0, "principal_");
  if (number > 0) out.append("_").append(std::to_string(number + 1));
  return out;
}

// --- Terraform

constexpr Placeholders kTerraform{"${data.aws_partition.current.partition}",
                                  "${data.aws_region.current.name}",
                                  "${data.aws_caller_identity.current.account_id}"};

// A text in HCL. Variables of policies have another sign there, which the provider turns back.
std::string hcl_text(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_brace = i + 1 < text.size() && text[i + 1] == '{';
    if (text[i] == '$' && is_brace) {
      escaped += '&';
    } else {
      if (text[i] == '%' && is_brace) escaped += '%';
      escaped += text[i];
    }
  }
  return json_text(escaped);
}

std::string hcl_resource(std::string_view resource) {
  const std::string arn = portable_arn(resource, kTerraform);
  return arn.empty() ? hcl_text(resource) : json_text(arn);
}

template <class Shown>
std::string list_text(const Texts& texts, const Shown& shown) {
  std::string out("[");
  for (const std::string& text : texts) {
    if (out.size() > 1) out.append(", ");
    out.append(shown(text));
  }
  return out.append("]");
}

void append_terraform(std::string& out, const AdvisedPolicy& policy, const std::string& name) {
  append_all(out, {"\n# ", policy.principal, "\ndata \"aws_iam_policy_document\" ", json_text(name),
                   " {\n"});
  for (const AdvisedStatement& statement : policy.statements) {
    append_all(out, {"  statement {\n    actions   = ", list_text(statement.actions, hcl_text),
                     "\n    resources = ", list_text(statement.resources, hcl_resource), "\n"});
    for (const ConditionLine& line : condition_lines(statement.condition))
      append_all(out, {"    condition {\n      test     = ", json_text(line.test),
                       "\n      variable = ", json_text(line.key),
                       "\n      values   = ", list_text(line.values, hcl_text), "\n    }\n"});
    out.append("  }\n");
  }
  out.append("}\n");
}

// --- CDK

constexpr Placeholders kCdk{"${Aws.PARTITION}", "${Aws.REGION}", "${Aws.ACCOUNT_ID}"};

std::string cdk_resource(std::string_view resource) {
  const std::string arn = portable_arn(resource, kCdk);
  if (arn.empty()) return json_text(resource);
  std::string out("`");
  return out.append(arn).append("`");
}

std::string condition_json(const std::vector<ConditionLine>& lines) {
  std::string out;
  JsonWriter json(out);
  write_condition(json, lines);
  return out;
}

void append_cdk(std::string& out, const AdvisedPolicy& policy, const std::string& name) {
  append_all(out, {"\n// ", policy.principal, "\nexport const ", name, "Statements = [\n"});
  for (const AdvisedStatement& statement : policy.statements) {
    append_all(
        out, {"  new iam.PolicyStatement({\n    actions: ", list_text(statement.actions, json_text),
              ",\n    resources: ", list_text(statement.resources, cdk_resource), ",\n"});
    const auto lines = condition_lines(statement.condition);
    if (!lines.empty()) append_all(out, {"    conditions: ", condition_json(lines), ",\n"});
    out.append("  }),\n");
  }
  out.append("];\n");
}

// --- SAM and CloudFormation

constexpr Placeholders kSam{"${AWS::Partition}", "${AWS::Region}", "${AWS::AccountId}"};

std::string sam_resource(std::string_view resource) {
  const std::string arn = portable_arn(resource, kSam);
  if (arn.empty()) return json_text(resource);
  std::string out("!Sub ");
  return out.append(json_text(arn));
}

void append_sam_list(std::string& out, std::string_view name, const Texts& texts,
                     std::string (*shown)(std::string_view)) {
  append_all(out, {"        ", name, ":\n"});
  for (const std::string& text : texts) append_all(out, {"          - ", shown(text), "\n"});
}

void append_sam(std::string& out, const AdvisedPolicy& policy) {
  append_all(out, {"---\n# ", policy.principal,
                   "\nPolicies:\n  - Version: \"2012-10-17\"\n    Statement:\n"});
  for (const AdvisedStatement& statement : policy.statements) {
    out.append("      - Effect: Allow\n");
    append_sam_list(out, "Action", statement.actions, json_text);
    append_sam_list(out, "Resource", statement.resources, sam_resource);
    // JSON is YAML too, and quotes "Null", which YAML would take for no value.
    const auto lines = condition_lines(statement.condition);
    if (!lines.empty()) append_all(out, {"        Condition: ", condition_json(lines), "\n"});
  }
}

std::string_view beginning_of(PolicyFormat format) {
  switch (format) {
    case PolicyFormat::Terraform:
      return "data \"aws_partition\" \"current\" {}\ndata \"aws_region\" \"current\" {}\n"
             "data \"aws_caller_identity\" \"current\" {}\n";
    case PolicyFormat::Cdk:
      return "import { Aws, aws_iam as iam } from 'aws-cdk-lib';\n";
    case PolicyFormat::Json:
    case PolicyFormat::Sam:
      break;
  }
  return {};
}

}  // namespace

std::optional<PolicyFormat> policy_format_of(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
  }
  return std::nullopt;
}

std::string_view policy_format_name(PolicyFormat format) {
  for (const auto& [name, known] : kFormats) {
    if (format == known) return name;
  }
  return {};
}

std::string policies_text(std::span<const AdvisedPolicy> policies, PolicyFormat format) {
  std::string out(beginning_of(format));
  std::map<std::string, std::size_t> used;
  for (const AdvisedPolicy& policy : policies) {
    const std::size_t number = used[identifier_of(policy.principal, 0)]++;
    const std::string name = identifier_of(policy.principal, number);
    if (format == PolicyFormat::Terraform) append_terraform(out, policy, name);
    if (format == PolicyFormat::Cdk) append_cdk(out, policy, name);
    if (format == PolicyFormat::Sam) append_sam(out, policy);
  }
  return out;
}

}  // namespace stator::access
