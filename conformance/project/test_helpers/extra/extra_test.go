package albums

import (
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"example.com/albums/statortest"
)

// A test that uses the servers and then, with EXTRA_HELD=FILE, writes FILE and waits to be killed;
// without, it fails. ../test_helpers.py looks what is left of them.
func TestExtra(t *testing.T) {
	own := statortest.Start(t, "--gsi-delay", "1").Client()
	for _, client := range []*dynamodb.Client{statortest.Client(), own} {
		if _, err := client.ListTables(ctx, &dynamodb.ListTablesInput{}); err != nil {
			t.Fatal(err)
		}
	}
	file := os.Getenv("EXTRA_HELD")
	if file == "" {
		t.Fatal("failed on purpose")
	}
	if err := os.WriteFile(file, []byte("held"), 0o600); err != nil {
		t.Fatal(err)
	}
	select {}
}
