// Reads tables from the files where people have them: templates of CloudFormation, SAM and CDK,
// serverless.yml, `terraform show -json`, models of NoSQL Workbench, JSON of the command line.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "server/templates/desired_table.h"

namespace stator::templates {

// A name and its value, as in --param NAME=VALUE.
using NamedText = std::pair<std::string, std::string>;

struct ReadOptions {
  // Names of tables whose template has none.
  enum class Names {
    Logical,  // Orders
    Stack,    // STACK-Orders
  };

  std::vector<NamedText> parameters = {};  // of a template; of a repeated name the last one counts
  std::string stack_name = {};             // empty: the file's name without its extensions
  std::string region = "us-east-1";
  std::string account_id = "000000000000";
  Names names = Names::Logical;
  std::vector<NamedText> table_names = {};  // logical id and name; wins over the file's TableName
  std::vector<NamedText> imports = {};      // what Fn::ImportValue gives
  std::vector<NamedText> variables = {};    // what ${opt:NAME} of a serverless.yml gives
  // What ${env:NAME} of a serverless.yml gives; not given: variables of this process. Empty if
  // there is no such variable.
  std::function<std::optional<std::string>(const std::string& name)> environment = {};
  bool reads_files = true;  // whether ${file(…)} of a serverless.yml reads other files
};

// Adds the parameters of a file that `parameters` does not have: a list of {"ParameterKey": …,
// "ParameterValue": …}, a list of "NAME=VALUE", {"Parameters": {…}}, or a map of names and values,
// in JSON or YAML. "-" is stdin.
tl::expected<void, Mistake> add_parameters_file(std::vector<NamedText>& parameters,
                                                const std::string& path);

// The tables of all files, in their order. "-" is stdin; of a folder its templates are read: all
// *.template.json if there are any, as in CDK's output, otherwise the files that are recognised.
// Parts of a file that no table needs are never a mistake. Without mistakes the names are
// different, and there is at least one table. Does not return without at least one mistake
// otherwise.
tl::expected<std::vector<DesiredTable>, std::vector<Mistake>> read_templates(
    const std::vector<std::string>& paths, const ReadOptions& options);

// Reads one text as above. `path` names it in messages and gives the folder of ${file(…)}.
tl::expected<std::vector<DesiredTable>, std::vector<Mistake>> read_template_text(
    std::string text, const std::string& path, const ReadOptions& options);

// Whether read_templates() would take a file for a template, by its content. False if it cannot be
// read.
bool is_template_file(const std::string& path);

}  // namespace stator::templates
