package conformance

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"stator/conformance/sdk"
)

// countingClient is an HTTP client that counts the attempts of each operation.
type countingClient struct {
	mutex  sync.Mutex
	counts map[string]int
}

func (c *countingClient) Do(request *http.Request) (*http.Response, error) {
	c.mutex.Lock()
	c.counts[strings.TrimPrefix(request.Header.Get("X-Amz-Target"), "DynamoDB_20120810.")]++
	c.mutex.Unlock()
	return sdk.Transport.RoundTrip(request)
}

func TestTypedErrors(t *testing.T) {
	client := newClient(t)
	_, err := items{client, uniqueName()}.get(item("a"))
	var notFound *types.ResourceNotFoundException
	if !errors.As(err, &notFound) {
		t.Fatalf("got %v, want a ResourceNotFoundException", err)
	}
	equal(t, "fault", notFound.ErrorFault(), smithy.FaultClient)
	refused(t, err, "ResourceNotFoundException", "Requested resource not found")

	input := onDemand(false)
	table := items{client, newTable(t, client, input)}
	_, err = client.CreateTable(ctx, input)
	var inUse *types.ResourceInUseException
	equal(t, "the error is a ResourceInUseException", errors.As(err, &inUse), true)
	refused(t, err, "ResourceInUseException", "Table already exists: "+table.table)

	must(table.put(item("a")))(t)
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(table.table), Item: item("a"),
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want a ConditionalCheckFailedException", err)
	}
	equal(t, "what is there", failed.Item, item("a"))
}

// forgetfulClient loses the answer to the first TransactWriteItems.
type forgetfulClient struct{ tries int }

func (f *forgetfulClient) Do(request *http.Request) (*http.Response, error) {
	response, err := sdk.Transport.RoundTrip(request)
	if request.Header.Get("X-Amz-Target") == "DynamoDB_20120810.TransactWriteItems" {
		if f.tries++; f.tries == 1 && err == nil {
			response.Body.Close()
			return nil, &net.OpError{Op: "read", Err: syscall.ECONNRESET}
		}
	}
	return response, err
}

func TestLostAnswersOfTransactions(t *testing.T) {
	forgetful := &forgetfulClient{}
	client := newClient(t, func(o *dynamodb.Options) { o.HTTPClient = forgetful })
	table := items{client, newTable(t, client, onDemand(false))}
	must(client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: aws.String(table.table), Key: item("a"), UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: attributes{":one": number("1")}}}}}))(t)
	equal(t, "tries", forgetful.tries, 2)
	equal(t, "the item", must(table.get(item("a")))(t).Item, item("a", "n", number("1")))
}

func TestReasonsOfACancellation(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(false))}
	must(table.put(item("a")))(t)
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: aws.String(table.table), Item: item("b")}},
		{Delete: &types.Delete{TableName: aws.String(table.table), Key: item("a"),
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}}}})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("got %v, want a TransactionCanceledException", err)
	}
	equal(t, "reasons", cancelled.CancellationReasons, []types.CancellationReason{{Code: aws.String("None")},
		{Code: aws.String("ConditionalCheckFailed"), Message: aws.String("The conditional request failed"), Item: item("a")}})
	equal(t, "what was put", must(table.get(item("b")))(t).Item, attributes(nil))
}

func TestWaitersAskOnce(t *testing.T) {
	counter := &countingClient{counts: map[string]int{}}
	client := newClient(t, func(o *dynamodb.Options) { o.HTTPClient = counter })
	input := onDemand(false)
	question := &dynamodb.DescribeTableInput{TableName: input.TableName}

	must(client.CreateTable(ctx, input))(t)
	if err := dynamodb.NewTableExistsWaiter(client).Wait(ctx, question, maxWait); err != nil {
		t.Fatal(err)
	}
	equal(t, "DescribeTable calls", counter.counts["DescribeTable"], 1)

	must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: input.TableName}))(t)
	if err := dynamodb.NewTableNotExistsWaiter(client).Wait(ctx, question, maxWait); err != nil {
		t.Fatal(err)
	}
	equal(t, "DescribeTable calls", counter.counts["DescribeTable"], 2)
}

func TestListTablesPages(t *testing.T) {
	client := newClient(t)
	prefix := uniqueName()
	var names []string
	for _, letter := range []string{"-a", "-b", "-c", "-d", "-e"} {
		input := onDemand(false)
		input.TableName = aws.String(prefix + letter)
		names = append(names, newTable(t, client, input))
	}
	pages := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{
		ExclusiveStartTableName: aws.String(prefix), Limit: aws.Int32(2),
	})
	var seen []string
	for pages.HasMorePages() {
		page := must(pages.NextPage(ctx))(t)
		if len(page.TableNames) > 2 {
			t.Errorf("a page of %d names", len(page.TableNames))
		}
		for _, name := range page.TableNames {
			if strings.HasPrefix(name, prefix+"-") {
				seen = append(seen, name)
			}
		}
	}
	equal(t, "names", seen, names)
}

func TestPagesOfQueriesAndScans(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(true))}
	var rising, falling []attributes
	for i := 0; i < 25; i++ {
		one := item("p", "sk", number(fmt.Sprint(i)))
		must(table.put(one))(t)
		rising, falling = append(rising, one), append([]attributes{one}, falling...)
	}
	var found []attributes
	queries := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName: aws.String(table.table), ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")},
		Limit: aws.Int32(7),
	})
	for queries.HasMorePages() {
		page := must(queries.NextPage(ctx))(t)
		equal(t, "count", []int32{page.Count, page.ScannedCount}, []int32{int32(len(page.Items)), int32(len(page.Items))})
		found = append(found, page.Items...)
	}
	equal(t, "query", found, falling)

	found = nil
	scans := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
		TableName: aws.String(table.table), ConsistentRead: aws.Bool(true), Limit: aws.Int32(7)})
	for scans.HasMorePages() {
		found = append(found, must(scans.NextPage(ctx))(t).Items...)
	}
	equal(t, "scan", found, rising)
}
