// The --help texts of `stator apply` and `stator schema`; docs/coming-from/templates.md follows
// them.
#pragma once

#include <string_view>

namespace stator::templates {

inline constexpr std::string_view kApplyHelp =
    R"(Makes tables as templates say, and changes those that differ.
Usage: stator apply FILE... [FLAGS]

FILE is a template of CloudFormation, SAM or CDK (a folder such as cdk.out works), a
serverless.yml, `terraform show -json`, a model of NoSQL Workbench, or input of
create-table or output of describe-table; - is stdin.

  --plan                     only shows what would be done
  --check                    as --plan; exit status 3 if there is something to do
  --allow-replace            deletes and makes again a table whose keys changed: its
                             items are lost
  --prune --tag NAME=VALUE   deletes tables with this tag that no FILE names; --tag may
                             repeat, and tables that have all of them are deleted
  --yes                      changes an endpoint that is not on this machine, too
)";

inline constexpr std::string_view kSchemaHelp =
    R"(Shows tables as a template, or compares two sides.
Usage: stator schema [TABLE...] --as FORM [FLAGS], stator schema diff A B [FLAGS]

A and B are files as for stator apply, or endpoint:URL.

  --as FORM                  cloudformation, terraform, cli (input of create-table), workbench
                             (a model), stator (NAME.table.json for --seed)
)";

inline constexpr std::string_view kTemplateHelp =
    R"(  --param NAME=VALUE         a parameter of the template; may repeat
  --params FILE              parameters, as a list of ParameterKey and ParameterValue,
                             or as a map; --param wins
  --stack-name NAME          AWS::StackName (the file's name)
  --account-id N             AWS::AccountId (000000000000)
  --import-value NAME=VALUE  what Fn::ImportValue gives; may repeat
  --var NAME=VALUE           ${opt:NAME} of a serverless.yml; may repeat
  --names logical|stack      names of tables whose file has none: the logical id, or
                             STACK-LOGICAL (logical)
  --name LOGICAL=NAME        the name of one table; may repeat
)";

inline constexpr std::string_view kEnvironmentHelp =
    R"(  --print-env                stdout has lines LOGICAL_TABLE=NAME, stderr the plan
)";

inline constexpr std::string_view kTemplateOutputHelp =
    R"(  --output text|json         for people or programs (text)
)";

inline constexpr std::string_view kTemplateServerHelp =
    R"(  --region R                 Region (that of the endpoint, AWS_REGION or us-east-1)
  --insecure                 do not verify the server's certificate
  --endpoint-url URL  --host H  --port N    which server, see stator health --help
  --timeout S                seconds to wait for each response (60), for a table 5 times
  --help

Credentials as for stator import. Exit status: 0 done or nothing to do; 1 the endpoint
failed; 2 mistake in a file or flag; 3 different, or a replacement was not allowed.
)";

}  // namespace stator::templates
