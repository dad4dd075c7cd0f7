package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"stator/conformance/sdk"
)

const provisionedReason = "TableWriteProvisionedThroughputExceeded"

// ask posts to the admin path of the server under test; false: it has no such verb.
func ask(t *testing.T, verb, body string) bool {
	t.Helper()
	response := must(http.Post(sdk.Endpoint+"/_stator/"+verb, "application/json", strings.NewReader(body)))(t)
	response.Body.Close()
	return response.StatusCode == 200
}

// throttledWrites is how often each reason was counted for a table.
func throttledWrites(t *testing.T, table string) map[string]int {
	t.Helper()
	response := must(http.Get(sdk.Endpoint + "/_stator/capacity"))(t)
	defer response.Body.Close()
	var told struct {
		Tables []struct {
			Table string
			Write struct{ Throttled map[string]int }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
		t.Fatal(err)
	}
	for _, one := range told.Tables {
		if one.Table == table {
			return one.Write.Throttled
		}
	}
	t.Fatalf("nothing is told of %s", table)
	return nil
}

// provisioned is a table of one unit.
func provisioned() *dynamodb.CreateTableInput {
	input := onDemand(false)
	input.BillingMode = types.BillingModeProvisioned
	input.ProvisionedThroughput = &types.ProvisionedThroughput{
		ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)}
	return input
}

// emptyTable has one unit and owes a hundred seconds of it: 400 units were asked for, 300 were saved.
func emptyTable(t *testing.T, client *dynamodb.Client, input *dynamodb.CreateTableInput) items {
	t.Helper()
	table := items{client, newTable(t, client, input)}
	if !ask(t, "capacity", fmt.Sprintf(`{"table":%q,"throttling":"enforce"}`, table.table)) {
		t.Skip("this server does not tell of throughput")
	}
	must(table.put(item("large", "filler", text(strings.Repeat("x", 400*1024-100)))))(t)
	return table
}

func TestThrottledForGood(t *testing.T) {
	counting := &countingClient{counts: map[string]int{}}
	client := newClient(t, func(o *dynamodb.Options) { o.HTTPClient = counting })
	table := emptyTable(t, client, provisioned())
	counting.counts["PutItem"] = 0
	_, err := table.put(item("a"))
	var exceeded *types.ProvisionedThroughputExceededException
	if !errors.As(err, &exceeded) {
		t.Fatalf("got %v, want a ProvisionedThroughputExceededException", err)
	}
	equal(t, "attempts", counting.counts["PutItem"], 3)
	equal(t, "refused", throttledWrites(t, table.table), map[string]int{provisionedReason: 3})
}

// clockMover lets five minutes pass before the second attempt of a PutItem, when it is told to.
type clockMover struct {
	t    *testing.T
	left int
}

func (c *clockMover) Do(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".PutItem") {
		if c.left--; c.left == 0 {
			ask(c.t, "clock", `{"advance":"5m"}`)
		}
	}
	return sdk.Transport.RoundTrip(request)
}

func TestThrottledUntilTimePasses(t *testing.T) {
	mover := &clockMover{t: t}
	client := newClient(t, func(o *dynamodb.Options) { o.HTTPClient = mover })
	table := emptyTable(t, client, provisioned())
	mover.left = 2
	must(table.put(item("a")))(t)
	equal(t, "refused", throttledWrites(t, table.table), map[string]int{provisionedReason: 1})
	equal(t, "item", must(table.get(item("a")))(t).Item, item("a"))
}

func TestThrottledTransaction(t *testing.T) {
	client := newClient(t)
	table := emptyTable(t, client, provisioned())
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String(table.table), Item: item("a")}}}})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("got %v, want a TransactionCanceledException", err)
	}
	equal(t, "code", *cancelled.CancellationReasons[0].Code, "ProvisionedThroughputExceeded")
}
