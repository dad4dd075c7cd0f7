// `stator schema`: tables of an endpoint as a template; `stator schema diff`: two sides compared.
#pragma once

#include <string>
#include <vector>

#include "server/cli/template_commands/apply_command.h"
#include "server/templates/schema/schema_form.h"

namespace stator::templates {

struct SchemaOptions {
  data::Endpoint endpoint = {};
  std::vector<std::string> tables = {};  // empty: all
  SchemaForm form = SchemaForm::CloudFormation;
};

// A side of a comparison: the tables of an endpoint, or of a file.
struct SideOptions {
  bool is_file = true;
  std::string path = {};
  data::Endpoint endpoint = {};
};

struct DiffOptions {
  SideOptions first = {};
  SideOptions second = {};
  TemplateFiles files = {};  // without paths
  bool is_json = false;
};

// Each returns the exit status (template_help.h).
int run_schema(const SchemaOptions& options);
int run_schema_diff(const DiffOptions& options);

}  // namespace stator::templates
