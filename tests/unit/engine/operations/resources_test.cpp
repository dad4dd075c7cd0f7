// Which actions on which resources requests need: a row or more for each operation.
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/api/families.h"
#include "tests/unit/engine/operations/touched_accesses.h"

using namespace stator;
using namespace stator::test;

namespace {

std::vector<AccessRow> rows_of_jobs() {
  return {
      {"ExportTableToPointInTime",
       R"({"S3Bucket":"bucket","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs"})",
       "ExportTableToPointInTime table/Songs"},
      {"DescribeExport",
       R"({"ExportArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs/export/01489602797149-73d8d5bc"})",
       "DescribeExport table/Songs/export/01489602797149-73d8d5bc"},
      {"ListExports", R"({"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs"})",
       "ListExports table/*"},
      {"ListExports", "{}", "ListExports table/*"},
      {"ImportTable",
       R"({"S3BucketSource":{"S3Bucket":"bucket"},"InputFormat":"CSV","TableCreationParameters":)"
       R"({"TableName":"Songs","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
       R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}})",
       "ImportTable table/Songs"},
      {"DescribeImport",
       R"({"ImportArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs/import/01489602797149-73d8d5bc"})",
       "DescribeImport table/Songs/import/01489602797149-73d8d5bc"},
      {"ListImports", R"({"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs"})",
       "ListImports table/*"},
      {"StartBulkPutItems",
       R"({"TableName":"Songs","InputS3Configuration":{"S3Bucket":"aaa","InputFormat":"ION"},
          "OutputS3Configuration":{"S3Bucket":"bbb","OutputType":["ERROR"]}})",
       "StartBulkPutItems table/Songs"},
      {"DescribeBulkOperation",
       R"({"BulkOperationArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs/bulk-operation/1"})",
       "DescribeBulkOperation table/Songs"},
      {"ListBulkOperations", "{}", "ListBulkOperations table/*"},
      {"CancelBulkOperation",
       R"({"BulkOperationArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Songs/bulk-operation/1"})",
       "CancelBulkOperation table/Songs"},
  };
}

std::vector<AccessRow> rows_of_items() {
  const std::string arn = std::string(kHomeArn).append("table/Songs");
  const std::string key = R"({"TableName":"Songs","Key":{"pk":{"S":"a"}})";
  return {
      {"GetItem", key + "}", "GetItem table/Songs"},
      {"GetItem", R"({"TableName":")" + arn + R"(","Key":{"pk":{"S":"a"}}})",
       "GetItem table/Songs"},
      {"PutItem", R"({"TableName":"Songs","Item":{"pk":{"S":"a"},"x":{"S":"y"}}})",
       "PutItem table/Songs"},
      {"UpdateItem", key + R"(,"UpdateExpression":"REMOVE x"})", "UpdateItem table/Songs"},
      {"DeleteItem", key + "}", "DeleteItem table/Songs"},
      {"BatchGetItem",
       R"({"RequestItems":{"Songs":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}]},)"
       R"("Bands":{"Keys":[{"pk":{"S":"c"}}]}}})",
       "BatchGetItem table/Songs; BatchGetItem table/Bands"},
      {"BatchWriteItem",
       R"({"RequestItems":{"Songs":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},)"
       R"({"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}],)"
       R"("Bands":[{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})",
       "BatchWriteItem table/Songs; BatchWriteItem table/Bands"},
      {"Query",
       R"({"TableName":"Songs","KeyConditionExpression":"pk = :p",)"
       R"("ExpressionAttributeValues":{":p":{"S":"a"}}})",
       "Query table/Songs"},
      {"Query",
       R"({"TableName":"Songs","IndexName":"by_band","KeyConditionExpression":"pk = :p",)"
       R"("ExpressionAttributeValues":{":p":{"S":"a"}}})",
       "Query table/Songs/index/by_band"},
      {"Scan", R"({"TableName":"Songs"})", "Scan table/Songs"},
      {"Scan", R"({"TableName":"Songs","IndexName":"by_band"})", "Scan table/Songs/index/by_band"},
  };
}

std::vector<AccessRow> rows_of_transactions() {
  return {
      {"TransactGetItems",
       R"({"TransactItems":[{"Get":{"TableName":"Songs","Key":{"pk":{"S":"a"}}}},)"
       R"({"Get":{"TableName":"Bands","Key":{"pk":{"S":"b"}}}},)"
       R"({"Get":{"TableName":"Songs","Key":{"pk":{"S":"c"}}}}]})",
       "GetItem table/Songs; GetItem table/Bands"},
      {"TransactWriteItems",
       R"({"TransactItems":[{"Put":{"TableName":"Songs","Item":{"pk":{"S":"a"}}}},)"
       R"({"Delete":{"TableName":"Bands","Key":{"pk":{"S":"b"}}}},{"ConditionCheck":)"
       R"({"TableName":"Bands","Key":{"pk":{"S":"c"}},)"
       R"("ConditionExpression":"attribute_exists(pk) "}},{"Update":)"
       R"({"TableName":"Songs","Key":{"pk":{"S":"d"}},"UpdateExpression":"REMOVE x"}}]})",
       "PutItem table/Songs; DeleteItem table/Bands; ConditionCheckItem table/Bands; "
       "UpdateItem table/Songs"},
      {"ExecuteStatement", R"({"Statement":"SELECT * FROM Songs"})", "PartiQLSelect table/Songs"},
      {"ExecuteStatement", R"({"Statement":"SELECT * FROM \"Songs\".\"by_band\""})",
       "PartiQLSelect table/Songs/index/by_band"},
      {"ExecuteStatement", R"({"Statement":"INSERT INTO Songs VALUE {'pk': 'a'}"})",
       "PartiQLInsert table/Songs"},
      {"ExecuteStatement", R"({"Statement":"UPDATE Songs SET x = 1 WHERE pk = 'a'"})",
       "PartiQLUpdate table/Songs"},
      {"ExecuteStatement", R"({"Statement":"DELETE FROM Songs WHERE pk = 'a'"})",
       "PartiQLDelete table/Songs"},
      {"BatchExecuteStatement",
       R"({"Statements":[{"Statement":"SELECT * FROM Songs WHERE pk = 'a'"},)"
       R"({"Statement":"SELECT * FROM Bands WHERE pk = 'b'"},{"Statement":"no statement"},)"
       R"({"Statement":"SELECT * FROM Songs WHERE pk = 'b'"}]})",
       "PartiQLSelect table/Songs; PartiQLSelect table/Bands; PartiQLSelect table/Songs"},
      {"ExecuteTransaction",
       R"({"TransactStatements":[{"Statement":"DELETE FROM Songs WHERE pk = 'a'"},)"
       R"({"Statement":"EXISTS(SELECT * FROM Bands WHERE pk = 'b' AND x = 1) "},)"
       R"({"Statement":"DELETE FROM Songs WHERE pk = 'b'"}]})",
       "PartiQLDelete table/Songs; PartiQLSelect table/Bands"},
      // A rejected statement shows whether its table exists.
      {"ExecuteTransaction",
       R"({"TransactStatements":[{"Statement":"SELECT * FROM \"Songs\".\"by_band\""}]})",
       "PartiQLSelect table/Songs"},
  };
}

std::vector<AccessRow> rows_of_tables() {
  const std::string arn = std::string(kHomeArn).append("table/Songs");
  const std::string tags = R"("Tags":[{"Key":"k","Value":"v"}])";
  const std::string policy = R"("{\"Statement\":{\"Effect\":\"Deny\",\"Principal\":\"*\",)"
                             R"(\"Action\":\"*\",\"Resource\":\"*\"}}")";
  const std::string kinesis =
      R"(,"StreamArn":"arn:aws:kinesis:us-east-1:000000000000:stream/changes")";
  const std::string created = hash_table("Songs");
  const std::string more = created.substr(0, created.size() - 1) + ",";
  return {
      {"CreateTable", created, "CreateTable table/Songs"},
      {"CreateTable", more + tags + "}", "CreateTable table/Songs; TagResource table/Songs"},
      {"CreateTable", more + R"("ResourcePolicy":)" + policy + "," + tags + "}",
       "CreateTable table/Songs; TagResource table/Songs; PutResourcePolicy table/Songs"},
      {"UpdateTable", named("Songs", R"(,"DeletionProtectionEnabled":true)"),
       "UpdateTable table/Songs"},
      {"DeleteTable", named("Songs"), "DeleteTable table/Songs"},
      {"DescribeTable", named("Songs"), "DescribeTable table/Songs"},
      {"DescribeTable", named(arn), "DescribeTable table/Songs"},
      {"ListTables", "{}", "ListTables table/*"},
      {"DescribeLimits", "{}", "DescribeLimits *"},
      {"DescribeEndpoints", "{}", "DescribeEndpoints *"},
      {"TagResource", R"({"ResourceArn":")" + arn + "\"," + tags + "}", "TagResource table/Songs"},
      {"UntagResource", R"({"ResourceArn":")" + arn + R"(","TagKeys":["k"]})",
       "UntagResource table/Songs"},
      {"ListTagsOfResource", R"({"ResourceArn":")" + arn + R"("})",
       "ListTagsOfResource table/Songs"},
      {"UpdateTimeToLive",
       named("Songs", R"(,"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"t"})"),
       "UpdateTimeToLive table/Songs"},
      {"DescribeTimeToLive", named("Songs"), "DescribeTimeToLive table/Songs"},
      {"UpdateContributorInsights",
       named("Songs", R"(,"IndexName":"by_band","ContributorInsightsAction":"ENABLE")"),
       "UpdateContributorInsights table/Songs/index/by_band"},
      {"DescribeContributorInsights", named("Songs"), "DescribeContributorInsights table/Songs"},
      {"ListContributorInsights", named("Songs"), "ListContributorInsights table/*"},
      {"ListContributorInsights", "{}", "ListContributorInsights table/*"},
      {"EnableKinesisStreamingDestination", named("Songs", kinesis),
       "EnableKinesisStreamingDestination table/Songs"},
      {"DisableKinesisStreamingDestination", named("Songs", kinesis),
       "DisableKinesisStreamingDestination table/Songs"},
      {"UpdateKinesisStreamingDestination",
       named("Songs", kinesis + R"(,"UpdateKinesisStreamingConfiguration":)"
                                R"({"ApproximateCreationDateTimePrecision":"MICROSECOND"})"),
       "UpdateKinesisStreamingDestination table/Songs"},
      {"DescribeKinesisStreamingDestination", named("Songs"),
       "DescribeKinesisStreamingDestination table/Songs"},
      {"PutResourcePolicy", R"({"ResourceArn":")" + arn + R"(","Policy":)" + policy + "}",
       "PutResourcePolicy table/Songs"},
      {"GetResourcePolicy", R"({"ResourceArn":")" + arn + R"("})", "GetResourcePolicy table/Songs"},
      {"GetResourcePolicy", R"({"ResourceArn":")" + arn + R"(/stream/2026-11-20"})",
       "GetResourcePolicy table/Songs/stream/2026-11-20"},
      {"DeleteResourcePolicy", R"({"ResourceArn":")" + arn + R"("})",
       "DeleteResourcePolicy table/Songs"},
  };
}

std::vector<AccessRow> rows_of_backups() {
  const std::string id = "table/Songs/backup/01489602797149-73d8d5bc";
  const std::string arn = R"("BackupArn":")" + std::string(kHomeArn).append(id) + "\"";
  const std::string restored =
      "PutItem table/aaa; UpdateItem table/aaa; DeleteItem table/aaa; GetItem table/aaa; "
      "Query table/aaa; Scan table/aaa; BatchWriteItem table/aaa";
  return {
      {"DescribeContinuousBackups", named("Songs"), "DescribeContinuousBackups table/Songs"},
      {"UpdateContinuousBackups",
       named("Songs", R"(,"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true})"),
       "UpdateContinuousBackups table/Songs"},
      {"CreateBackup", named("Songs", R"(,"BackupName":"aaa")"), "CreateBackup table/Songs"},
      {"DescribeBackup", "{" + arn + "}", "DescribeBackup " + id},
      {"DeleteBackup", "{" + arn + "}", "DeleteBackup " + id},
      {"ListBackups", named("Songs"), "ListBackups table/*"},
      {"RestoreTableFromBackup", R"({"TargetTableName":"aaa",)" + arn + "}",
       "RestoreTableFromBackup " + id + "; RestoreTableFromBackup table/aaa; " + restored},
      {"RestoreTableToPointInTime",
       R"({"TargetTableName":"aaa","SourceTableName":"Songs","UseLatestRestorableTime":true})",
       "RestoreTableToPointInTime table/Songs; " + restored},
  };
}

}  // namespace

TEST_CASE("access: every operation says what its request needs", "[engine]") {
  std::vector<AccessRow> rows;
  for (const auto& more : {rows_of_items(), rows_of_transactions(), rows_of_tables(),
                           rows_of_backups(), rows_of_jobs()})
    rows.insert(rows.end(), more.begin(), more.end());
  check_actions(engine_families(), rows);
}
