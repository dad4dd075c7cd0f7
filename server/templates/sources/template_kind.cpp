#include "server/templates/sources/template_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/templates/sources/table_json.h"
#include "server/templates/sources/terraform.h"
#include "server/templates/sources/workbench.h"
#include "server/templates/stacks/serverless.h"

namespace stator::templates {
namespace {

// A version may be absent, so resources with types will do.
bool is_cloudformation(const Node& root) {
  const Node* const resources = root.find("Resources");
  if (resources == nullptr) return false;
  if (root.find("AWSTemplateFormatVersion") != nullptr) return true;
  const auto members = resources->members();
  return std::any_of(members.begin(), members.end(), [](const Member& member) {
    return member.name.starts_with("Fn::") || member.value.find("Type") != nullptr;
  });
}

bool ends_with_any(const std::string& path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace

TemplateKind kind_of(const Node& root) {
  if (is_cloudformation(root)) return TemplateKind::Cloudformation;
  if (is_workbench(root)) return TemplateKind::Workbench;
  if (is_terraform(root)) return TemplateKind::Terraform;
  if (is_pulumi(root)) return TemplateKind::Pulumi;
  if (is_table_json(root)) return TemplateKind::TableJson;
  if (is_serverless(root)) return TemplateKind::Serverless;
  return TemplateKind::Unknown;
}

std::string advice_for(const Node& root, const std::string& path) {
  if (ends_with_any(path, {".tf", ".tfvars", ".hcl"}))
    return "HCL is not read: terraform show -json | stator apply -";
  if (root.find("terraform_version") != nullptr && root.find("resources") != nullptr)
    return "a state as Terraform stores it is not read: terraform show -json | stator apply -";
  if (ends_with_any(path, {".js", ".cjs", ".mjs", ".ts"}))
    return "code is not run: node -p \"JSON.stringify(require('./FILE'))\" | stator apply -";
  return "it is no template that is known: CloudFormation, SAM, CDK, serverless.yml, terraform "
         "show -json, pulumi stack export, NoSQL Workbench, create-table, describe-table";
}

}  // namespace stator::templates
