package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"stator/conformance/sdk"
)

// once makes each call one attempt.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// makeFault makes requests to a table fail until the end of the test, or of a rule of the same name. It returns how many
// did so far.
func makeFault(t *testing.T, table, when, effect string) func() int {
	t.Helper()
	name := "go-" + strings.ToLower(table)
	rule := fmt.Sprintf(`{"name":%q,"match":{"table":%q},"when":%s,"effect":%s}`, name, table, when, effect)
	if response := must(http.Get(sdk.Endpoint + "/_stator/faults"))(t); response.StatusCode != http.StatusOK {
		t.Skip("this server has no faults")
	}
	if !ask(t, "faults", rule) {
		t.Fatalf("the server refuses %s", rule)
	}
	t.Cleanup(func() { ask(t, "faults/"+name+"/remove", "{}") })
	return func() int {
		response := must(http.Get(sdk.Endpoint + "/_stator/faults/" + name))(t)
		defer response.Body.Close()
		var told struct{ Fired int }
		if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
			t.Fatal(err)
		}
		return told.Fired
	}
}

func TestEachErrorIsItsType(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	for name, isIt := range map[string]func(error) bool{
		"ConditionalCheckFailedException": func(err error) bool {
			var it *types.ConditionalCheckFailedException
			return errors.As(err, &it)
		},
		"InternalServerError": func(err error) bool {
			var it *types.InternalServerError
			return errors.As(err, &it)
		},
		"ItemCollectionSizeLimitExceededException": func(err error) bool {
			var it *types.ItemCollectionSizeLimitExceededException
			return errors.As(err, &it)
		},
		"ProvisionedThroughputExceededException": func(err error) bool {
			var it *types.ProvisionedThroughputExceededException
			return errors.As(err, &it)
		},
		"RequestLimitExceeded": func(err error) bool {
			var it *types.RequestLimitExceeded
			return errors.As(err, &it)
		},
		"ResourceNotFoundException": func(err error) bool {
			var it *types.ResourceNotFoundException
			return errors.As(err, &it)
		},
		"TransactionConflictException": func(err error) bool {
			var it *types.TransactionConflictException
			return errors.As(err, &it)
		},
	} {
		makeFault(t, table.table, "{}", fmt.Sprintf(`{"error":{"type":%q,"message":"told"}}`, name))
		_, err := table.put(item("a"))
		if !isIt(err) || !strings.Contains(err.Error(), "told") {
			t.Errorf("got %v, want a %s", err, name)
		}
	}
}

func TestFirstAttemptsFail(t *testing.T) {
	const workers, puts = 32, 100
	client := newClient(t, func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	})
	table := items{client, newTable(t, client, onDemand(false))}
	fired := makeFault(t, table.table, `{"attempt":1}`, `{"error":"InternalServerError"}`)
	var group sync.WaitGroup
	failed := make(chan error, workers*puts)
	for worker := 0; worker < workers; worker++ {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for i := 0; i < puts; i++ {
				if _, err := table.put(item(fmt.Sprintf("%d %d", worker, i))); err != nil {
					failed <- err
				}
			}
		}(worker)
	}
	group.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	equal(t, "firings", fired(), workers*puts)
}

func TestPagesWithoutItems(t *testing.T) {
	client := newClient(t, once)
	table := items{client, newTable(t, client, onDemand(false))}
	for i := 0; i < 10; i++ {
		must(table.put(item(fmt.Sprint(i), "n", number(fmt.Sprint(i)))))(t)
	}
	fired := makeFault(t, table.table, `{"every":2}`, `{"page":{"items":0}}`)
	found := 0
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(table.table), Limit: aws.Int32(3),
		FilterExpression: aws.String("n > :n"), ExpressionAttributeValues: attributes{":n": number("4")}})
	for pages.HasMorePages() {
		found += len(must(pages.NextPage(ctx))(t).Items)
	}
	equal(t, "items", found, 5)
	if fired() == 0 {
		t.Error("no page ended early")
	}
}

// This SDK warns of a wrong sum, and takes the answer.
func TestAWrongSumIsAWarning(t *testing.T) {
	logger := &sdk.Warnings{}
	client := sdk.NewClient(logger, once)
	table := items{client, newTable(t, client, onDemand(false))}
	must(table.put(item("a")))(t)
	fired := makeFault(t, table.table, "{}", `{"corrupt":"crc"}`)
	equal(t, "the item", must(table.get(item("a")))(t).Item, item("a"))
	equal(t, "firings", fired(), 1)
	equal(t, "warnings", len(logger.All()), 1)
}

func TestBrokenAnswersEnd(t *testing.T) {
	client := sdk.NewClient(&sdk.Warnings{}, once)
	table := items{client, newTable(t, client, onDemand(false))}
	must(table.put(item("a")))(t)
	for _, how := range []string{"cut", "empty", "json"} {
		makeFault(t, table.table, "{}", fmt.Sprintf(`{"corrupt":%q}`, how))
		_, err := table.get(item("a"))
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", how, err)
		}
		if err == nil && how != "empty" {
			t.Errorf("%s: no error", how)
		}
	}
}
