//go:build go1.24

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const jobItems = 20

// buckets is the folder whose folders are the server's buckets.
func buckets(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("STATOR_BUCKETS")
	if folder == "" {
		t.Skip("needs the buckets of a server that the suite starts")
	}
	return folder
}

// filledTable returns the name and the ARN of a table with items and recovery.
func filledTable(t *testing.T, client *dynamodb.Client) (name, arn *string) {
	t.Helper()
	table := items{client, newTable(t, client, onDemand(false))}
	must(client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName:                        aws.String(table.table),
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	}))(t)
	for i := 0; i < jobItems; i++ {
		must(table.put(item(fmt.Sprint("k", i))))(t)
	}
	described := must(client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table.table)}))(t)
	return aws.String(table.table), described.Table.TableArn
}

func counted(t *testing.T, client *dynamodb.Client, table *string) int {
	t.Helper()
	scanned := must(client.Scan(ctx, &dynamodb.ScanInput{TableName: table, Select: types.SelectCount}))(t)
	return int(scanned.Count)
}

// TestExportsAndImports waits for an export and its import, and reads both lists page by page.
func TestExportsAndImports(t *testing.T) {
	buckets(t)
	client := newClient(t)
	_, arn := filledTable(t, client)
	exports := dynamodb.NewExportCompletedWaiter(client, func(o *dynamodb.ExportCompletedWaiterOptions) {
		o.MinDelay, o.MaxDelay = time.Second, time.Second
	})
	var ended *dynamodb.DescribeExportOutput
	for _, prefix := range []string{"go/first", "go/second"} {
		begun := must(client.ExportTableToPointInTime(ctx, &dynamodb.ExportTableToPointInTimeInput{
			TableArn: arn, S3Bucket: aws.String("bucket"), S3Prefix: aws.String(prefix),
		}))(t).ExportDescription
		equal(t, "status", begun.ExportStatus, types.ExportStatusInProgress)
		ended = must(exports.WaitForOutput(ctx, &dynamodb.DescribeExportInput{ExportArn: begun.ExportArn}, maxWait))(t)
	}
	equal(t, "exported items", *ended.ExportDescription.ItemCount, int64(jobItems))
	listed := 0
	for pages := dynamodb.NewListExportsPaginator(client, &dynamodb.ListExportsInput{TableArn: arn, MaxResults: aws.Int32(1)}); pages.HasMorePages(); {
		listed += len(must(pages.NextPage(ctx))(t).ExportSummaries)
	}
	equal(t, "exports listed", listed, 2)

	target := aws.String(uniqueName())
	definition := onDemand(false)
	begun := must(client.ImportTable(ctx, &dynamodb.ImportTableInput{
		S3BucketSource: &types.S3BucketSource{
			S3Bucket: aws.String("bucket"), S3KeyPrefix: aws.String(path.Dir(*ended.ExportDescription.ExportManifest) + "/data/"),
		},
		InputFormat: types.InputFormatDynamodbJson, InputCompressionType: types.InputCompressionTypeGzip,
		TableCreationParameters: &types.TableCreationParameters{
			TableName: target, KeySchema: definition.KeySchema, AttributeDefinitions: definition.AttributeDefinitions,
			BillingMode: types.BillingModePayPerRequest,
		},
	}))(t).ImportTableDescription
	imports := dynamodb.NewImportCompletedWaiter(client, func(o *dynamodb.ImportCompletedWaiterOptions) {
		o.MinDelay, o.MaxDelay = time.Second, time.Second
	})
	must(imports.WaitForOutput(ctx, &dynamodb.DescribeImportInput{ImportArn: begun.ImportArn}, maxWait))(t)
	equal(t, "imported items", counted(t, client, target), jobItems)
	listed = 0
	for pages := dynamodb.NewListImportsPaginator(client, &dynamodb.ListImportsInput{TableArn: begun.TableArn, PageSize: aws.Int32(1)}); pages.HasMorePages(); {
		listed += len(must(pages.NextPage(ctx))(t).ImportSummaryList)
	}
	equal(t, "imports listed", listed, 1)
	must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: target}))(t)
}

func TestBulkPut(t *testing.T) {
	folder := buckets(t)
	client := newClient(t)
	table := newTable(t, client, onDemand(false))
	var lines []byte
	for i := 0; i < jobItems; i++ {
		record := must(json.Marshal(map[string]any{"Item": map[string]any{"pk": map[string]string{"S": fmt.Sprint("k", i)}}}))(t)
		lines = append(append(lines, record...), '\n')
	}
	if err := os.WriteFile(filepath.Join(folder, "source", table+".json"), lines, 0o600); err != nil {
		t.Fatal(err)
	}
	begun := must(client.StartBulkPutItems(ctx, &dynamodb.StartBulkPutItemsInput{
		TableName: aws.String(table),
		InputS3Configuration: &types.InputS3Configuration{
			S3Bucket: aws.String("source"), S3KeyPrefix: aws.String(table), InputFormat: types.BulkOperationInputFormatDynamodbJson,
		},
		OutputS3Configuration: &types.OutputS3Configuration{
			S3Bucket: aws.String("reports"), OutputType: []types.OutputTypeEnum{types.OutputTypeEnumError},
		},
	}))(t).BulkOperationDescription
	waiter := dynamodb.NewBulkOperationCompletedWaiter(client, func(o *dynamodb.BulkOperationCompletedWaiterOptions) {
		o.MinDelay, o.MaxDelay = time.Second, time.Second
	})
	input := &dynamodb.DescribeBulkOperationInput{BulkOperationArn: begun.BulkOperationArn}
	ended := must(waiter.WaitForOutput(ctx, input, maxWait))(t).BulkOperationDescription
	equal(t, "status", ended.BulkOperationStatus, types.BulkOperationStatusCompleted)
	equal(t, "items put", counted(t, client, aws.String(table)), jobItems)
	isListed := false
	for pages := dynamodb.NewListBulkOperationsPaginator(client, &dynamodb.ListBulkOperationsInput{MaxResults: aws.Int32(1)}); pages.HasMorePages(); {
		for _, one := range must(pages.NextPage(ctx))(t).BulkOperationsSummaryList {
			isListed = isListed || *one.BulkOperationArn == *begun.BulkOperationArn
		}
	}
	equal(t, "the bulk put is listed", isListed, true)
}
