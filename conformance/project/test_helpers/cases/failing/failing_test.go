package albums

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"example.com/albums/statortest"
)

func TestMain(m *testing.M) { statortest.Main(m) }

func get(client *dynamodb.Client, table string) {
	key := map[string]types.AttributeValue{"Id": &types.AttributeValueMemberS{Value: "a"}}
	client.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key})
}

func TestPasses(t *testing.T) {
	get(statortest.Client(t), "OfTheTestThatPasses")
}

func TestFails(t *testing.T) {
	t.Parallel()
	get(statortest.Client(t), "OfANewDatabase")
	t.Error("one")
}

func TestFailsInTheEnvironment(t *testing.T) {
	statortest.Setenv(t)
	get(statortest.Setenv(t), "OfTheApplication")
	t.Error("two")
}

func TestFailsToo(t *testing.T) {
	get(statortest.Start(t, "--gsi-delay", "1").Client(), "OfAnOwnServer")
	t.Error("three")
}

func TestSeeded(t *testing.T) {
	seeded := statortest.Seed(t, func(*dynamodb.Client) {})
	seeded.Run(t, "passes", func(t *testing.T, client *dynamodb.Client) { get(client, "OfTheTestThatPasses") })
	seeded.Run(t, "fails", func(t *testing.T, client *dynamodb.Client) {
		get(client, "OfAFilledDatabase")
		t.Error("four")
	})
}

func TestFailsWithoutARequest(t *testing.T) {
	statortest.Client(t)
	t.Error("five")
}
