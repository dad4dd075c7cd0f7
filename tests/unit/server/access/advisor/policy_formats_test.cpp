#include "server/access/advisor/policy_formats.h"

#include <catch2/catch.hpp>

namespace stator::access {
namespace {

AdvisedPolicy tenant_policy() {
  AdvisedStatement keys{{"dynamodb:GetItem", "dynamodb:PutItem"},
                        {"arn:aws:dynamodb:us-east-1:111122223333:table/App",
                         "arn:aws:dynamodb:us-east-1:111122223333:table/App/index/by_x"},
                        {TenantPattern{false, "${aws:PrincipalTag/tenant}#*"}, {}}};
  AdvisedStatement role{{"sts:AssumeRole"}, {"arn:aws:iam::111122223333:role/x"}, {}};
  AdvisedStatement all{{"dynamodb:ListTables"},
                       {"*", "arn:aws:dynamodb:us-east-1:111122223333:table/*"},
                       {{}, {"TransactWriteItems"}}};
  return {"arn:aws:iam::111122223333:user/a.dev", {keys, role, all}};
}

}  // namespace

TEST_CASE("policies as text: names of formats", "[server]") {
  CHECK(policy_format_of("cdk") == PolicyFormat::Cdk);
  CHECK(policy_format_name(PolicyFormat::Terraform) == "terraform");
  CHECK_FALSE(policy_format_of("yaml"));
}

TEST_CASE("policies as text: Terraform", "[server]") {
  const std::string place =
      "arn:${data.aws_partition.current.partition}:dynamodb:${data.aws_region.current.name}:"
      "${data.aws_caller_identity.current.account_id}:table/";
  const std::string expected =
      "data \"aws_partition\" \"current\" {}\ndata \"aws_region\" \"current\" {}\n"
      "data \"aws_caller_identity\" \"current\" {}\n"
      "\n# arn:aws:iam::111122223333:user/a.dev\n"
      "data \"aws_iam_policy_document\" \"a_dev\" {\n"
      "  statement {\n    actions   = [\"dynamodb:GetItem\", \"dynamodb:PutItem\"]\n"
      "    resources = [\"" +
      place + "App\", \"" + place +
      "App/index/by_x\"]\n"
      "    condition {\n      test     = \"ForAllValues:StringLike\"\n"
      "      variable = \"dynamodb:LeadingKeys\"\n"
      "      values   = [\"&{aws:PrincipalTag/tenant}#*\"]\n    }\n"
      "    condition {\n      test     = \"Null\"\n      variable = \"dynamodb:LeadingKeys\"\n"
      "      values   = [\"false\"]\n    }\n  }\n"
      "  statement {\n    actions   = [\"sts:AssumeRole\"]\n"
      "    resources = [\"arn:aws:iam::111122223333:role/x\"]\n  }\n"
      "  statement {\n    actions   = [\"dynamodb:ListTables\"]\n    resources = [\"*\", \"" +
      place +
      "*\"]\n"
      "    condition {\n      test     = \"ForAnyValue:StringEquals\"\n"
      "      variable = \"dynamodb:EnclosingOperation\"\n"
      "      values   = [\"TransactWriteItems\"]\n    }\n  }\n}\n";
  const AdvisedPolicy policy = tenant_policy();
  CHECK(policies_text({&policy, 1}, PolicyFormat::Terraform) == expected);
}

TEST_CASE("policies as text: CDK", "[server]") {
  const std::vector<AdvisedPolicy> twice{tenant_policy(), tenant_policy()};
  const std::string text = policies_text(twice, PolicyFormat::Cdk);
  CHECK(
      text.starts_with("import { Aws, aws_iam as iam } from 'aws-cdk-lib';\n"
                       "\n// arn:aws:iam::111122223333:user/a.dev\n"
                       "export const a_devStatements = [\n  new iam.PolicyStatement({\n"
                       "    actions: [\"dynamodb:GetItem\", \"dynamodb:PutItem\"],\n"
                       "    resources: [`arn:${Aws.PARTITION}:dynamodb:${Aws.REGION}:"
                       "${Aws.ACCOUNT_ID}:table/App`, "));
  CHECK(text.find("    conditions: {\"ForAllValues:StringLike\":{\"dynamodb:LeadingKeys\":"
                  "[\"${aws:PrincipalTag/tenant}#*\"]},\"Null\":{\"dynamodb:LeadingKeys\":"
                  "\"false\"}},\n") != std::string::npos);
  CHECK(text.find("export const a_dev_2Statements = [\n") != std::string::npos);
}

TEST_CASE("policies as text: SAM", "[server]") {
  const AdvisedPolicy policy = tenant_policy();
  const std::string text = policies_text({&policy, 1}, PolicyFormat::Sam);
  CHECK(
      text.starts_with("---\n# arn:aws:iam::111122223333:user/a.dev\nPolicies:\n"
                       "  - Version: \"2012-10-17\"\n    Statement:\n"
                       "      - Effect: Allow\n        Action:\n"
                       "          - \"dynamodb:GetItem\"\n          - \"dynamodb:PutItem\"\n"
                       "        Resource:\n          - !Sub \"arn:${AWS::Partition}:dynamodb:"
                       "${AWS::Region}:${AWS::AccountId}:table/App\"\n"));
  CHECK(text.find("        Condition: {\"ForAllValues:StringLike\":") != std::string::npos);
  CHECK(text.find("          - \"*\"\n") != std::string::npos);
}

TEST_CASE("policies as text: names that programs cannot have", "[server]") {
  const AdvisedPolicy policy{"arn:aws:iam::111122223333:user/1+x", {}};
  CHECK(policies_text({&policy, 1}, PolicyFormat::Cdk).find("const principal_1_xStatements") !=
        std::string::npos);
  const AdvisedPolicy root{"arn:aws:iam::111122223333:root", {}};
  CHECK(policies_text({&root, 1}, PolicyFormat::Terraform).find("\"root\" {") != std::string::npos);
}

}  // namespace stator::access
