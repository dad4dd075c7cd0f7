package albums

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

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
