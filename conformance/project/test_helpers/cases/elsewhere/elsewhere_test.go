package albums

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"example.com/albums/statortest"
)

func TestMain(m *testing.M) { statortest.Main(m) }

// On a server that runs elsewhere. ../../test_where.py starts it.
func TestElsewhere(t *testing.T) {
	for range []string{"one", "two"} {
		client := statortest.Client()
		tables, err := client.ListTables(context.Background(), &dynamodb.ListTablesInput{})
		if err != nil || len(tables.TableNames) != 0 {
			t.Errorf("tables %v, error %v, want none of both", tables, err)
		}
		_, err = client.CreateTable(context.Background(), &dynamodb.CreateTableInput{
			TableName:            aws.String("Albums"),
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("Title"), AttributeType: "S"}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("Title"), KeyType: "HASH"}},
			BillingMode:          types.BillingModePayPerRequest,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	statortest.Start(t).Advance(t, time.Hour)
}
