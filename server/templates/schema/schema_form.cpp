#include "server/templates/schema/schema_form.h"

#include "server/templates/schema/template_text.h"
#include "server/templates/schema/workbench_text.h"

namespace stator::templates {

tl::expected<std::string, std::string> schema_text(SchemaForm form,
                                                   const std::vector<TableShape>& tables) {
  switch (form) {
    case SchemaForm::CloudFormation:
      return cloudformation_text(tables);
    case SchemaForm::CommandLine:
      return cli_text(tables);
    case SchemaForm::Workbench:
      return workbench_text(tables);
    case SchemaForm::Stator:
      return stator_text(tables);
    case SchemaForm::Terraform:
      break;
  }
  return terraform_text(tables);
}

std::string schema_note(SchemaForm form, const TableShape& table) {
  if (form == SchemaForm::CommandLine && !table.ttl_attribute.empty()) {
    return "TimeToLiveSpecification is for stator apply; aws dynamodb create-table does not take "
           "it";
  }
  if (form != SchemaForm::Workbench) return {};
  const std::string lost = lost_in_workbench(table);
  return lost.empty() ? std::string() : "a model has no " + lost;
}

}  // namespace stator::templates
