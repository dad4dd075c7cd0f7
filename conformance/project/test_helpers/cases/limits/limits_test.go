package albums

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"example.com/albums/statortest"
)

// A run within its policy, and one that needs more. ../../test_limits.py reads the report.

const policy = `{"Version": "2012-10-17", "Statement": [
	{"Effect": "Allow", "Action": ["dynamodb:PutItem", "dynamodb:GetItem"], "Resource": "*"}]}`

var (
	ctx   = context.Background()
	table = aws.String("Limited")
	key   = map[string]types.AttributeValue{"Id": &types.AttributeValueMemberS{Value: "a"}}
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill makes the table as the owner; the client that it returns has the policy.
func fill(t *testing.T, limits *statortest.Limits) *dynamodb.Client {
	t.Helper()
	_, err := limits.Owner().CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("Id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("Id"), KeyType: types.KeyTypeHash}},
	})
	check(t, err)
	client := limits.Client()
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: key})
	check(t, err)
	return client
}

func TestWithin(t *testing.T) {
	_, err := fill(t, statortest.Limit(t, policy)).GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: key})
	check(t, err)
}

func TestNeedsMore(t *testing.T) {
	client := fill(t, statortest.Limit(t, policy))
	_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: key})
	check(t, err)
	_, err = client.Scan(ctx, &dynamodb.ScanInput{TableName: table})
	check(t, err)
}

func TestEnforced(t *testing.T) {
	_, err := fill(t, statortest.Enforce(t, policy)).Scan(ctx, &dynamodb.ScanInput{TableName: table})
	var denied smithy.APIError
	if !errors.As(err, &denied) || denied.ErrorCode() != "AccessDeniedException" {
		t.Fatalf("got %v", err)
	}
}
