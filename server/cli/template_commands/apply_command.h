// `stator apply`: makes an endpoint's tables those of a template.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/client/endpoint.h"
#include "server/templates/plan/make_plan.h"
#include "server/templates/plan/verdict.h"
#include "server/templates/read_templates.h"

namespace stator::templates {

// Where tables are read from, for both commands.
struct TemplateFiles {
  std::vector<std::string> paths = {};
  ReadOptions options = {};
  std::string parameters_file = {};  // empty: none
};

struct ApplyOptions {
  data::Endpoint endpoint = {};
  TemplateFiles files = {};
  Permissions permissions = {};  // whether the endpoint is on this machine is filled in
  // Of tables to delete unless the files name them; empty: none are deleted.
  std::map<std::string, std::string> prune_tags = {};
  bool is_json = false;
  bool prints_environment = false;
};

// Reads the files. On mistakes returns empty, after a line for each on stderr.
std::optional<std::vector<ReadTable>> read_files(TemplateFiles files);

// Returns the exit status (template_help.h).
int run_apply(ApplyOptions options);

}  // namespace stator::templates
