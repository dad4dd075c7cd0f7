// Package albums shows how tests use statortest: each has a database of its own, also when several run
// at once.
package albums

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"example.com/albums/statortest"
)

func TestMain(m *testing.M) { statortest.Main(m) }

var ctx = context.Background()

// createAlbums creates the table of this application.
func createAlbums(t *testing.T, client *dynamodb.Client) *types.TableDescription {
	t.Helper()
	created, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String("Albums"),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("Title"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("Title"), KeyType: types.KeyTypeHash},
		},
		BillingMode: types.BillingModePayPerRequest,
	})
	if err != nil {
		t.Fatal(err)
	}
	return created.TableDescription
}

func album(title string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"Title": &types.AttributeValueMemberS{Value: title}}
}

func put(t *testing.T, client *dynamodb.Client, title string) {
	t.Helper()
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Albums"), Item: album(title)})
	if err != nil {
		t.Fatal(err)
	}
}

func expectOnly(t *testing.T, client *dynamodb.Client, title string) {
	t.Helper()
	found, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("Albums")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []map[string]types.AttributeValue{album(title)}; !reflect.DeepEqual(found.Items, want) {
		t.Errorf("the table holds %v, want only %s", found.Items, title)
	}
}

func TestANewDatabaseIsEmpty(t *testing.T) {
	t.Parallel()
	tables, err := statortest.Client().ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil || len(tables.TableNames) != 0 {
		t.Errorf("tables %v, error %v, want none of both", tables, err)
	}
}

// Eight tests at once on tables of the same name: none reads before all have written.
func TestDatabasesDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	clients := map[string]*dynamodb.Client{}
	t.Run("write", func(t *testing.T) {
		for number := 0; number < 8; number++ {
			title, client := fmt.Sprintf("Volume %d", number), statortest.Client()
			clients[title] = client
			t.Run(title, func(t *testing.T) {
				t.Parallel()
				createAlbums(t, client)
				put(t, client, title)
			})
		}
	})
	for title, client := range clients {
		expectOnly(t, client, title)
	}
}

func TestATableTakesItsTimeAsInTheCloud(t *testing.T) {
	t.Parallel()
	client := statortest.Start(t, "--control-plane-delay", "1").Client()
	if status := createAlbums(t, client).TableStatus; status != types.TableStatusCreating {
		t.Errorf("the new table is %s, want CREATING", status)
	}
	err := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, time.Second
	}).Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("Albums")}, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	put(t, client, "Blue")
}

func TestAnEventuallyConsistentReadMayMissAWrite(t *testing.T) {
	t.Parallel()
	client := statortest.Start(t, "--eventual-read-lag", "3600").Client()
	createAlbums(t, client)
	put(t, client, "Blue")
	for _, consistent := range []bool{false, true} {
		got, err := client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String("Albums"), Key: album("Blue"), ConsistentRead: aws.Bool(consistent),
		})
		if err != nil {
			t.Fatal(err)
		}
		if found := got.Item != nil; found != consistent {
			t.Errorf("ConsistentRead %v: found %v", consistent, found)
		}
	}
}

func TestTimeIsMovedInsteadOfWaitedFor(t *testing.T) {
	t.Parallel()
	server := statortest.Start(t, "--clock", "2027-01-01T00:00:00Z", "--control-plane-delay", "3600")
	client := server.Client()
	newYear := time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)
	if created := createAlbums(t, client).CreationDateTime; !created.Equal(newYear) {
		t.Errorf("created at %s, want %s", created, newYear)
	}
	if mappings := server.Settle(t); len(mappings) != 0 {
		t.Fatalf("mappings: %v", mappings)
	}
	server.Advance(t, 30*time.Minute)
	server.SetTime(t, newYear.Add(time.Hour))
	described, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("Albums")})
	if err != nil {
		t.Fatal(err)
	}
	if status := described.Table.TableStatus; status != types.TableStatusActive {
		t.Errorf("an hour later the table is %s, want ACTIVE", status)
	}
	server.Mark(t, "created")
	server.Reset(t)
	tables, err := client.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil || len(tables.TableNames) != 0 {
		t.Errorf("tables %v, error %v, want none of both", tables, err)
	}
	server.Rollback(t, "created")
	tables, err = client.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil || len(tables.TableNames) != 1 {
		t.Errorf("tables %v, error %v, want the one there was", tables, err)
	}
}

func albumsCreated(t *testing.T, client *dynamodb.Client) time.Time {
	t.Helper()
	described, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("Albums")})
	if err != nil {
		t.Fatal(err)
	}
	return *described.Table.CreationDateTime
}

func TestEachBeginsWithWhatWasFilledIn(t *testing.T) {
	t.Parallel()
	seeded := statortest.Seed(t, func(client *dynamodb.Client) {
		createAlbums(t, client)
		put(t, client, "Blue")
	})
	for _, title := range []string{"Hejira", "Mingus"} {
		seeded.Run(t, title, func(t *testing.T, client *dynamodb.Client) {
			put(t, client, title)
			found, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("Albums")})
			if err != nil || found.Count != 2 {
				t.Errorf("the table holds %v, error %v, want two albums", found, err)
			}
		})
	}
	seeded.Run(t, "no table left", func(t *testing.T, client *dynamodb.Client) {
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("Albums")})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, name := range []string{"time goes back too", "once more"} {
		seeded.Run(t, name, func(t *testing.T, client *dynamodb.Client) {
			filled := albumsCreated(t, client)
			seeded.Server.Advance(t, 25*time.Hour)
			_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("Albums")})
			if err != nil {
				t.Fatal(err)
			}
			createAlbums(t, client)
			if passed := albumsCreated(t, client).Sub(filled); passed < 25*time.Hour || passed > 26*time.Hour {
				t.Errorf("%s have passed, want 25 hours", passed)
			}
		})
	}
	seeded.Run(t, "as it was filled", func(t *testing.T, client *dynamodb.Client) {
		expectOnly(t, client, "Blue")
	})
}
