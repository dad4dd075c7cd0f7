package albums

import (
	"context"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"example.com/albums/statortest"
)

func TestMain(m *testing.M) { statortest.Main(m) }

// ../../test_application.py runs it.
func TestTheApplicationCallsStator(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			client := statortest.Setenv(t)
			if token, set := os.LookupEnv("AWS_SESSION_TOKEN"); set {
				t.Error(token)
			}
			if count, err := Place(context.Background()); err != nil || count != 1 {
				t.Fatalf("%d orders, error %v, want one", count, err)
			}
			tables, err := client.ListTables(context.Background(), &dynamodb.ListTablesInput{})
			if err != nil || len(tables.TableNames) != 1 {
				t.Errorf("tables %v, error %v, want the application's", tables, err)
			}
		})
	}
	if os.Getenv("AWS_PROFILE") != "mine" || os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "" {
		t.Error("the environment is not what it was")
	}
}
