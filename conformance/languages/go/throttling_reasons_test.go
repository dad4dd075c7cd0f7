//go:build go1.24

// What the SDK for Go 1.19 does not know: the reasons of exceptions, and ThrottlingException as a type.
package conformance

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// refusedFor counts a write's attempts and gives the one reason of the exception.
func refusedFor(t *testing.T, input *dynamodb.CreateTableInput, reasons func(error) []types.ThrottlingReason) string {
	t.Helper()
	counting := &countingClient{counts: map[string]int{}}
	client := newClient(t, func(o *dynamodb.Options) { o.HTTPClient = counting })
	table := emptyTable(t, client, input)
	counting.counts["PutItem"] = 0
	_, err := table.put(item("a"))
	found := reasons(err)
	if len(found) != 1 {
		t.Fatalf("got %v with reasons %v, want one", err, found)
	}
	equal(t, "attempts", counting.counts["PutItem"], 3)
	equal(t, "refused", throttledWrites(t, table.table), map[string]int{*found[0].Reason: 3})
	if !strings.HasSuffix(*found[0].Resource, ":table/"+table.table) {
		t.Errorf("resource %q", *found[0].Resource)
	}
	return *found[0].Reason
}

func TestThrottlingReasons(t *testing.T) {
	t.Run("provisioned", func(t *testing.T) {
		reason := refusedFor(t, provisioned(), func(err error) []types.ThrottlingReason {
			var exceeded *types.ProvisionedThroughputExceededException
			if !errors.As(err, &exceeded) {
				return nil
			}
			return exceeded.ThrottlingReasons
		})
		equal(t, "reason", reason, provisionedReason)
	})
	t.Run("maximum", func(t *testing.T) {
		input := onDemand(false)
		input.OnDemandThroughput = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(1)}
		reason := refusedFor(t, input, func(err error) []types.ThrottlingReason {
			var throttled *types.ThrottlingException
			if !errors.As(err, &throttled) {
				return nil
			}
			return throttled.ThrottlingReasons
		})
		equal(t, "reason", reason, "TableWriteMaxOnDemandThroughputExceeded")
	})
	t.Run("quota", func(t *testing.T) {
		if os.Getenv("STATOR_OWN_SERVER") == "" {
			t.Skip("the quota of a server that was not started here is not known")
		}
		reason := refusedFor(t, onDemand(false), func(err error) []types.ThrottlingReason {
			var exceeded *types.RequestLimitExceeded
			if !errors.As(err, &exceeded) {
				return nil
			}
			return exceeded.ThrottlingReasons
		})
		equal(t, "reason", reason, "TableWriteAccountLimitExceeded")
	})
}
