//go:build go1.24

// What the SDK of go1.19.mod does not know yet: on-demand ceilings and warm throughput.
package conformance

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func checkWarm(t *testing.T, warm *types.TableWarmThroughputDescription, read, write int64) {
	t.Helper()
	if warm == nil || warm.ReadUnitsPerSecond == nil || warm.WriteUnitsPerSecond == nil {
		t.Fatalf("warm throughput %#v", warm)
	}
	equal(t, "warm", []int64{*warm.ReadUnitsPerSecond, *warm.WriteUnitsPerSecond}, []int64{read, write})
	equal(t, "warm status", warm.Status, types.TableStatusActive)
}

func TestOnDemandThroughput(t *testing.T) {
	client := newClient(t)
	input := onDemand(false)
	input.OnDemandThroughput = &types.OnDemandThroughput{
		MaxReadRequestUnits: aws.Int64(100), MaxWriteRequestUnits: aws.Int64(50),
	}
	name := newTable(t, client, input)
	equal(t, "ceilings", describe(t, client, name).OnDemandThroughput, input.OnDemandThroughput)
	change := func(read int64) error {
		_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
			TableName:          aws.String(name),
			OnDemandThroughput: &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(read)},
		})
		return err
	}
	if err := change(-1); err != nil {
		t.Fatal(err)
	}
	left := &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(50)}
	equal(t, "one ceiling left", describe(t, client, name).OnDemandThroughput, left)
	refused(t, change(0), "ValidationException", invalid+
		"Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range")
}

func TestWarmThroughput(t *testing.T) {
	client := newClient(t)
	checkWarm(t, describe(t, client, newTable(t, client, onDemand(false))).WarmThroughput, 12000, 4000)
	checkWarm(t, describe(t, client, newTable(t, client, provisioned(5, 6))).WarmThroughput, 5, 6)

	input := onDemand(false)
	input.WarmThroughput = &types.WarmThroughput{
		ReadUnitsPerSecond: aws.Int64(13000), WriteUnitsPerSecond: aws.Int64(5000),
	}
	name := newTable(t, client, input)
	checkWarm(t, describe(t, client, name).WarmThroughput, 13000, 5000)
	_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName:      aws.String(name),
		WarmThroughput: &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(12500)},
	})
	refused(t, err, "ValidationException", invalid+"Requested ReadUnitsPerSecond for WarmThroughput for table "+
		"is lower than current WarmThroughput, decreasing WarmThroughput is not supported")
}
