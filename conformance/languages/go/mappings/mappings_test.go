// Package mappings has event source mappings through the client of Lambda, at the endpoint of DynamoDB. It is a package of
// its own, because the older versions of the SDK that older versions of Go need have no such client here.
package mappings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	tables "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

var ctx = context.Background()

func config(t *testing.T) aws.Config {
	endpoint := os.Getenv("STATOR_ENDPOINT")
	if endpoint == "" {
		t.Fatal("STATOR_ENDPOINT is not set: start the tests with ./run")
	}
	return aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "conformance", SecretAccessKey: "conformance"}, nil
		}),
	}
}

// newStream makes a table with a stream until the end of the test.
func newStream(t *testing.T, client *dynamodb.Client) string {
	name := fmt.Sprintf("go-mappings-%d", time.Now().UnixNano())
	made, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          tables.BillingModePayPerRequest,
		AttributeDefinitions: []tables.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}},
		KeySchema:            []tables.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}},
		StreamSpecification:  &tables.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: "NEW_IMAGE"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			t.Error(err)
		}
	})
	return *made.TableDescription.LatestStreamArn
}

func TestLifeOfAMapping(t *testing.T) {
	settings := config(t)
	client := lambda.NewFromConfig(settings)
	stream := newStream(t, dynamodb.NewFromConfig(settings))
	created, err := client.CreateEventSourceMapping(ctx, &lambda.CreateEventSourceMappingInput{
		FunctionName: aws.String("of-go"), EventSourceArn: &stream, StartingPosition: types.EventSourcePositionLatest,
		BatchSize: aws.Int32(5), Tags: map[string]string{"team": "music", "stage": "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	get := func() *lambda.GetEventSourceMappingOutput {
		t.Helper()
		found, err := client.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: created.UUID})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := get(); *created.State != "Creating" || *found.State != "Enabled" || *found.BatchSize != 5 {
		t.Fatalf("created %s, then %s with batches of %d", *created.State, *found.State, *found.BatchSize)
	}
	listed, err := client.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{EventSourceArn: &stream})
	if err != nil || len(listed.EventSourceMappings) != 1 || *listed.EventSourceMappings[0].UUID != *created.UUID {
		t.Fatalf("listed %v, %v", listed, err)
	}
	_, err = client.UpdateEventSourceMapping(ctx, &lambda.UpdateEventSourceMappingInput{
		UUID: created.UUID, BatchSize: aws.Int32(7), Enabled: aws.Bool(false)})
	if found := get(); err != nil || *found.State != "Disabled" || *found.BatchSize != 7 {
		t.Fatalf("updated to %s with batches of %d, %v", *found.State, *found.BatchSize, err)
	}
	_, err = client.UntagResource(ctx, &lambda.UntagResourceInput{
		Resource: created.EventSourceMappingArn, TagKeys: []string{"stage"}})
	if err != nil {
		t.Fatal(err)
	}
	tags, err := client.ListTags(ctx, &lambda.ListTagsInput{Resource: created.EventSourceMappingArn})
	if err != nil || !reflect.DeepEqual(tags.Tags, map[string]string{"team": "music"}) {
		t.Fatalf("tags %v, %v", tags, err)
	}
	gone, err := client.DeleteEventSourceMapping(ctx, &lambda.DeleteEventSourceMappingInput{UUID: created.UUID})
	if err != nil || *gone.State != "Deleting" {
		t.Fatalf("deleted %v, %v", gone, err)
	}
	_, err = client.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: created.UUID})
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) || missing.ErrorMessage() != "The resource you requested does not exist." {
		t.Fatalf("got %v", err)
	}
}
