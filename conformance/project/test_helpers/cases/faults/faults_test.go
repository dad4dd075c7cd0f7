package albums

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"example.com/albums/statortest"
)

func TestMain(m *testing.M) { statortest.Main(m) }

var rule = statortest.Rule{
	Match:  map[string]any{"operation": "ListTables"},
	When:   map[string]any{"times": 2},
	Effect: map[string]any{"error": "InternalServerError"},
}

// list returns whether one attempt succeeds.
func list(client *dynamodb.Client) bool {
	_, err := client.ListTables(context.Background(), &dynamodb.ListTablesInput{}, func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
	})
	return err == nil
}

func TestFires(t *testing.T) {
	client := statortest.Client()
	t.Run("inside", func(t *testing.T) {
		fault := statortest.MakeFault(t, rule)
		if list(client) || list(client) || !list(client) || fault.Fired(t) != 2 {
			t.Error("the first two attempts are to fail")
		}
	})
	if !list(client) {
		t.Error("the rule is still there")
	}
}

func TestFiresByPreset(t *testing.T) {
	client := statortest.Client()
	fault := statortest.MakeFault(t, statortest.Rule{Preset: "error-probability 1"})
	free := statortest.MakeFault(t, statortest.Rule{Preset: "az-outage", Optional: true})
	_, err := client.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: aws.String("t"),
		Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}}, func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
	})
	var throttled *types.ProvisionedThroughputExceededException
	if !errors.As(err, &throttled) || fault.Fired(t) != 1 || free.Fired(t) != 0 {
		t.Errorf("got %v, want a ProvisionedThroughputExceededException", err)
	}
}

func TestNeverFiresByPreset(t *testing.T) {
	statortest.MakeFault(t, statortest.Rule{Preset: "flaky-1%"})
}

func TestMayFire(t *testing.T) {
	free := rule
	free.Optional = true
	statortest.MakeFault(t, free)
}

func TestFiresOnce(t *testing.T) {
	client := statortest.Start(t, "--gsi-delay", "1")
	client.Fault(t, rule)
	list(client.Client())
}

func TestNeverFires(t *testing.T) {
	statortest.MakeFault(t, statortest.Rule{Effect: rule.Effect})
}
