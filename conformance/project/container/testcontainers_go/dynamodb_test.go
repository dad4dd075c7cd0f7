// Package testcontainers starts the image by the DynamoDB module of testcontainers-go, as a Go project's own
// tests do. They name the image that ours takes the place of: ../run_testcontainers gives ours that name.
package testcontainers

import (
	"io"
	"net"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/testcontainers/testcontainers-go"
	module "github.com/testcontainers/testcontainers-go/modules/dynamodb"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	image = "amazon/dynamodb-local:latest"
	table = "Music"
)

// run starts a container that is gone after the test.
func run(t *testing.T, options ...testcontainers.ContainerCustomizer) *module.DynamoDBContainer {
	t.Helper()
	container, err := module.Run(t.Context(), image, options...)
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	return container
}

func address(t *testing.T, container *module.DynamoDBContainer) string {
	t.Helper()
	hostPort, err := container.ConnectionString(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return hostPort
}

// client is one of the container's; without WithSharedDB each access key has a database of its own.
func client(t *testing.T, container *module.DynamoDBContainer, accessKey string) *dynamodb.Client {
	t.Helper()
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://" + address(t, container)),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, "secret", ""),
	})
}

func createTable(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String(table),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("artist"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("artist"), KeyType: types.KeyTypeHash},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func item(artist string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"artist": &types.AttributeValueMemberS{Value: artist},
		"albums": &types.AttributeValueMemberN{Value: "15"},
	}
}

func put(t *testing.T, client *dynamodb.Client, artist string) {
	t.Helper()
	input := &dynamodb.PutItemInput{TableName: aws.String(table), Item: item(artist)}
	if _, err := client.PutItem(t.Context(), input); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client *dynamodb.Client, artist string) map[string]types.AttributeValue {
	t.Helper()
	output, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(table),
		Key:       map[string]types.AttributeValue{"artist": &types.AttributeValueMemberS{Value: artist}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return output.Item
}

// works creates a table, puts an item and gets it.
func works(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	createTable(t, client)
	put(t, client, "Nina")
	if found := get(t, client, "Nina"); !reflect.DeepEqual(found, item("Nina")) {
		t.Errorf("got %v", found)
	}
}

func tables(t *testing.T, client *dynamodb.Client) []string {
	t.Helper()
	output, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(output.TableNames)
	return output.TableNames
}

func wantTables(t *testing.T, client *dynamodb.Client, wanted ...string) {
	t.Helper()
	if found := tables(t, client); len(found)+len(wanted) > 0 && !reflect.DeepEqual(found, wanted) {
		t.Errorf("tables %v, not %v", found, wanted)
	}
}

func logs(t *testing.T, container testcontainers.Container) string {
	t.Helper()
	reader, err := container.Logs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRun(t *testing.T) {
	container := run(t)
	works(t, client(t, container, "one"))
	wantTables(t, client(t, container, "one"), table)
	wantTables(t, client(t, container, "another"))
}

func TestSharedDB(t *testing.T) {
	container := run(t, module.WithSharedDB(), module.WithDisableTelemetry())
	works(t, client(t, container, "one"))
	another := client(t, container, "another")
	wantTables(t, another, table)
	if found := get(t, another, "Nina"); !reflect.DeepEqual(found, item("Nina")) {
		t.Errorf("got %v", found)
	}
	if text := logs(t, container); !strings.Contains(text, "SharedDb:\ttrue") {
		t.Errorf("its log does not say that the database is shared: %s", text)
	}

	// The module finds a shared container by its name and takes it again, with its data.
	again := run(t, module.WithSharedDB(), module.WithDisableTelemetry())
	if again.GetContainerID() != container.GetContainerID() {
		t.Fatal("not taken again")
	}
	if found := get(t, client(t, again, "third"), "Nina"); !reflect.DeepEqual(found, item("Nina")) {
		t.Errorf("got %v", found)
	}
}

func TestDisableTelemetry(t *testing.T) {
	works(t, client(t, run(t, module.WithDisableTelemetry()), "one"))
}

// The strategies in use beside the module's own, which waits for the port.
func TestWaitStrategies(t *testing.T) {
	for name, strategy := range map[string]wait.Strategy{
		"http": wait.ForHTTP("/").WithPort("8000/tcp").WithStatusCodeMatcher(
			func(status int) bool { return status == 400 }),
		"log":          wait.ForLog("Initializing DynamoDB Local"),
		"exposed port": wait.ForExposedPort(),
		"health":       wait.ForHealthCheck(),
		"program in it": wait.ForExec([]string{"curl", "-s", "http://localhost:8000"}).WithExitCodeMatcher(
			func(status int) bool { return status == 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			works(t, client(t, run(t, testcontainers.WithAdditionalWaitStrategy(strategy)), "one"))
		})
	}
}

func TestTerminate(t *testing.T) {
	container := run(t)
	works(t, client(t, container, "one"))
	hostPort := address(t, container)
	if err := container.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if connection, err := net.DialTimeout("tcp", hostPort, time.Minute); err == nil {
		connection.Close()
		t.Errorf("something still listens on %s", hostPort)
	}
	if _, err := container.State(t.Context()); err == nil {
		t.Error("the container is still there")
	}
}

// Stop sends SIGTERM and kills after its timeout: the exit status tells which of them ended it.
func TestStop(t *testing.T) {
	container := run(t)
	timeout := time.Minute
	if err := container.Stop(t.Context(), &timeout); err != nil {
		t.Fatal(err)
	}
	state, err := container.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if state.Running || state.ExitCode != 0 {
		t.Errorf("running %v, exit status %d", state.Running, state.ExitCode)
	}
}

// A mistake must not look like a slow start: the library sees the end and reports its status.
func TestMistake(t *testing.T) {
	container, err := module.Run(t.Context(), image, testcontainers.WithCmdArgs("-sharedDB"))
	testcontainers.CleanupContainer(t, container)
	if err == nil || container == nil {
		t.Fatal("it started")
	}
	state, stateErr := container.State(t.Context())
	if stateErr != nil {
		t.Fatal(stateErr)
	}
	if state.Running || state.ExitCode == 0 {
		t.Errorf("running %v, exit status %d: %v", state.Running, state.ExitCode, err)
	}
	if text := logs(t, container); !strings.Contains(text, "Unrecognized option: -sharedDB") {
		t.Errorf("its log: %s", text)
	}
}
