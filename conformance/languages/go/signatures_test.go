package conformance

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// signing calls a test with the name and address of each server that verifies signatures.
func signing(t *testing.T, test func(t *testing.T, endpoint string)) {
	t.Helper()
	endpoints := strings.Fields(os.Getenv("STATOR_SIGNED_ENDPOINTS"))
	if len(endpoints) == 0 {
		t.Skip("needs servers started by the test")
	}
	for _, endpoint := range endpoints {
		test(t, endpoint)
	}
}

func signingClient(t *testing.T, endpoint, key, secret string) *dynamodb.Client {
	t.Helper()
	return newClient(t, func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(endpoint)
		o.Retryer = aws.NopRetryer{}
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, nil
		})
	})
}

func TestRightSignatures(t *testing.T) {
	signing(t, func(t *testing.T, endpoint string) {
		client := signingClient(t, endpoint, "AKIAROOT", os.Getenv("STATOR_SIGNED_SECRET"))
		table := items{client, newTable(t, client, onDemand(true))}
		one := item("Björk – 日本 😀", "sk", number("1"), "text", text("naïve & \"ça\" = 100 %"))
		two := item("Björk – 日本 😀", "sk", number("2"), "text", text("ⅷ"))
		must(table.put(one))(t)
		must(client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			table.table: {{PutRequest: &types.PutRequest{Item: two}}}}}))(t)
		key := attributes{"pk": one["pk"], "sk": one["sk"]}
		equal(t, "the item", must(table.get(key))(t).Item, one)
		found := must(client.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String(table.table), ConsistentRead: aws.Bool(true),
			KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: attributes{":p": one["pk"]}}))(t)
		equal(t, "query", found.Items, []attributes{one, two})
		batch := must(client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{table.table: {Keys: []attributes{key}}}}))(t)
		equal(t, "batch", batch.Responses[table.table], []attributes{one})
	})
}

func TestWrongSignatures(t *testing.T) {
	signing(t, func(t *testing.T, endpoint string) {
		for key, code := range map[string]string{
			"AKIAROOT": "InvalidSignatureException", "AKIAOTHER": "UnrecognizedClientException",
		} {
			_, err := signingClient(t, endpoint, key, "wrong").ListTables(ctx, &dynamodb.ListTablesInput{})
			var api smithy.APIError
			if !errors.As(err, &api) || api.ErrorCode() != code {
				t.Errorf("got %v, want %s", err, code)
			}
		}
	})
}
