package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"stator/conformance/sdk"
)

// isA says whether an error is one of the SDK's types.
func isA[T error](err error) bool {
	var it T
	return errors.As(err, &it)
}

// addOne adds one to the item n, in a transaction of one action.
func (i items) addOne(token *string) error {
	_, err := i.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{ClientRequestToken: token,
		TransactItems: []types.TransactWriteItem{{Update: &types.Update{TableName: aws.String(i.table), Key: item("n"),
			UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: attributes{":one": number("1")}}}}})
	return err
}

// A retry meets the write of the attempt whose answer was lost.
func TestLostAnswers(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(false))}
	for _, how := range []string{"fin", "rst"} {
		fired := makeFault(t, table.table, `{"attempt":1,"times":1}`, fmt.Sprintf(`{"drop":"after","how":%q}`, how))
		_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table.table), Item: item(how),
			ConditionExpression: aws.String("attribute_not_exists(pk)")})
		if !isA[*types.ConditionalCheckFailedException](err) {
			t.Errorf("%s: got %v, want a ConditionalCheckFailedException", how, err)
		}
		equal(t, how+": firings", fired(), 1)
		equal(t, "the item", must(table.get(item(how)))(t).Item, item(how))
	}
	fired := makeFault(t, table.table, `{"attempt":1,"times":1}`, `{"drop":"before"}`)
	must(table.put(item("before")))(t)
	equal(t, "firings", fired(), 1)
}

func TestLostTransactionsAreAppliedOnce(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(false))}
	fired := makeFault(t, table.table, `{"attempt":1,"times":1}`, `{"drop":"after"}`)
	if err := table.addOne(nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "firings", fired(), 1)
	equal(t, "applied", must(table.get(item("n")))(t).Item["n"], number("1"))
}

func TestForgottenTokensAreAppliedTwice(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	token := aws.String("token")
	if err := table.addOne(token); err != nil {
		t.Fatal(err)
	}
	fired := makeFault(t, table.table, "{}", `{"token":"forgotten"}`)
	if err := table.addOne(token); err != nil {
		t.Fatal(err)
	}
	equal(t, "firings", fired(), 1)
	makeFault(t, table.table, "{}", `{"token":"running"}`)
	if err := table.addOne(token); !isA[*types.TransactionInProgressException](err) {
		t.Errorf("got %v, want a TransactionInProgressException", err)
	}
	makeFault(t, table.table, "{}", `{"token":"mismatch"}`)
	if err := table.addOne(token); !isA[*types.IdempotentParameterMismatchException](err) {
		t.Errorf("got %v, want an IdempotentParameterMismatchException", err)
	}
	equal(t, "applied", must(table.get(item("n")))(t).Item["n"], number("2"))
}

func TestCancelledOnDemand(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	input := &dynamodb.TransactWriteItemsInput{}
	for _, pk := range []string{"a", "b", "c"} {
		input.TransactItems = append(input.TransactItems,
			types.TransactWriteItem{Put: &types.Put{TableName: aws.String(table.table), Item: item(pk)}})
	}
	fired := makeFault(t, table.table, "{}", `{"cancel":{"1":"TransactionConflict","2":"ThrottlingError"}}`)
	_, err := client.TransactWriteItems(ctx, input)
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("got %v, want a TransactionCanceledException", err)
	}
	var codes []string
	for _, reason := range cancelled.CancellationReasons {
		codes = append(codes, *reason.Code)
	}
	equal(t, "reasons", codes, []string{"None", "TransactionConflict", "ThrottlingError"})
	equal(t, "firings", fired(), 1)
	equal(t, "what was put", must(table.get(item("a")))(t).Item, attributes(nil))
}

func TestUnprocessedParts(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	var writes []types.WriteRequest
	var keys []attributes
	for _, pk := range []string{"a", "b", "c", "d"} {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item(pk)}})
		keys = append(keys, item(pk))
	}
	write := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table.table: writes}}
	read := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table.table: {Keys: keys}}}

	makeFault(t, table.table, "{}", `{"unprocessed":[0,2]}`)
	wrote := must(client.BatchWriteItem(ctx, write))(t)
	equal(t, "writes left", wrote.UnprocessedItems[table.table], []types.WriteRequest{writes[0], writes[2]})
	got := must(client.BatchGetItem(ctx, read))(t)
	equal(t, "keys left", got.UnprocessedKeys[table.table].Keys, []attributes{keys[0], keys[2]})
	equal(t, "items read", len(got.Responses[table.table]), 2)

	makeFault(t, table.table, "{}", `{"unprocessed":{"fraction":1}}`)
	if _, err := client.BatchWriteItem(ctx, write); !isA[*types.ProvisionedThroughputExceededException](err) {
		t.Errorf("got %v, want a ProvisionedThroughputExceededException", err)
	}
}

func TestStaleReads(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	must(table.put(item("a", "v", number("1"))))(t)
	fired := makeFault(t, table.table, "{}", `{"stale":"1h"}`)
	must(table.put(item("a", "v", number("2"))))(t)
	eventual := must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table.table), Key: item("a")}))(t)
	equal(t, "an eventual read", eventual.Item["v"], number("1"))
	equal(t, "a consistent read", must(table.get(item("a")))(t).Item["v"], number("2"))
	equal(t, "firings", fired(), 1)
}

func TestLostIterators(t *testing.T) {
	client := newClient(t, once)
	input := onDemand(false)
	input.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage}
	table := newTable(t, client, input)
	about := must(client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}))(t)
	options := client.Options()
	reader := dynamodbstreams.New(dynamodbstreams.Options{
		Region: options.Region, BaseEndpoint: options.BaseEndpoint, HTTPClient: options.HTTPClient,
		Credentials: options.Credentials, Retryer: aws.NopRetryer{}})
	arn := about.Table.LatestStreamArn
	shards := must(reader.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn}))(t)
	iterator := must(reader.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: arn,
		ShardId: shards.StreamDescription.Shards[0].ShardId, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon}))(t)
	records := &dynamodbstreams.GetRecordsInput{ShardIterator: iterator.ShardIterator}

	makeFault(t, table, "{}", `{"stream":"expired"}`)
	if _, err := reader.GetRecords(ctx, records); !isA[*streams.ExpiredIteratorException](err) {
		t.Errorf("got %v, want an ExpiredIteratorException", err)
	}
	fired := makeFault(t, table, "{}", `{"stream":"trimmed"}`)
	if _, err := reader.GetRecords(ctx, records); !isA[*streams.TrimmedDataAccessException](err) {
		t.Errorf("got %v, want a TrimmedDataAccessException", err)
	}
	equal(t, "firings", fired(), 1)
}

func TestLateAnswersAndAnswersInPieces(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	must(table.put(item("a")))(t)
	for _, effect := range []string{`{"delay":"20ms"}`, `{"drip":{"bytes":4,"every":"1ms"}}`} {
		fired := makeFault(t, table.table, "{}", effect)
		equal(t, effect, must(table.get(item("a")))(t).Item, item("a"))
		equal(t, effect+": firings", fired(), 1)
	}
}

// What a proxy in between answers is tried again. It has no sum, of which this SDK warns.
func TestAnswersOfAProxy(t *testing.T) {
	logger := &sdk.Warnings{}
	client := sdk.NewClient(logger)
	table := items{client, newTable(t, client, onDemand(false))}
	fired := makeFault(t, table.table, `{"times":1}`, `{"http":{"status":503,"body":"<html>"}}`)
	must(table.put(item("a")))(t)
	equal(t, "firings", fired(), 1)
	equal(t, "warnings", len(logger.All()), 1)
}
