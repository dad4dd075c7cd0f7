// Package conformance drives a Stator server through the AWS SDK for Go v2.
//
// This file holds what the tests share: clients aimed at the server under test, tables that live for
// one test, exact expectations of errors, and a proxy that spoils the first answer.
package conformance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"stator/conformance/sdk"
)

const maxWait = 2 * time.Minute

var (
	tlsEndpoint = os.Getenv("STATOR_TLS_ENDPOINT")
	requestID   = regexp.MustCompile(`^[0-9A-Z]{52}$`)
	ctx         = context.Background()
)

type attributes = map[string]types.AttributeValue

func TestMain(m *testing.M) {
	if sdk.Endpoint == "" {
		fmt.Fprintln(os.Stderr, "STATOR_ENDPOINT is not set: start the tests with ./run")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// newClient is a client whose test fails when the SDK warns of something.
func newClient(t *testing.T, change ...func(*dynamodb.Options)) *dynamodb.Client {
	t.Helper()
	logger := &sdk.Warnings{}
	t.Cleanup(func() {
		for _, text := range logger.All() {
			t.Errorf("the SDK warns: %s", text)
		}
	})
	return sdk.NewClient(logger, change...)
}

func uniqueName() string {
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err)
	}
	return "go-" + hex.EncodeToString(random[:])
}

// onDemand describes a table with the string key pk and, when wanted, the number key sk.
func onDemand(sortKey bool) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName: aws.String(uniqueName()),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:   []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		BillingMode: types.BillingModePayPerRequest,
	}
	if sortKey {
		input.AttributeDefinitions = append(input.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeN})
		input.KeySchema = append(input.KeySchema,
			types.KeySchemaElement{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange})
	}
	return input
}

// newTable creates a table that is deleted when the test ends, and returns its name.
func newTable(t *testing.T, client *dynamodb.Client, input *dynamodb.CreateTableInput) string {
	t.Helper()
	must(client.CreateTable(ctx, input))(t)
	t.Cleanup(func() {
		must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: input.TableName}))(t)
	})
	waiter := dynamodb.NewTableExistsWaiter(client)
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: input.TableName}, maxWait); err != nil {
		t.Fatal(err)
	}
	return *input.TableName
}

// items calls one table, with strong reads.
type items struct {
	client *dynamodb.Client
	table  string
}

func (i items) put(item attributes) (*dynamodb.PutItemOutput, error) {
	return i.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(i.table), Item: item})
}

func (i items) get(key attributes) (*dynamodb.GetItemOutput, error) {
	return i.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(i.table), Key: key, ConsistentRead: aws.Bool(true)})
}

// must(call())(t) is the result of a call that has to succeed.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func equal(t *testing.T, what string, got, want interface{}) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
}

// refused demands an error of the given code and text, with the metadata of an answered request.
func refused(t *testing.T, err error, code, message string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) {
		t.Fatalf("got %v, want %s: %s", err, code, message)
	}
	if api.ErrorCode() != code || api.ErrorMessage() != message {
		t.Errorf("\n got %s: %s\nwant %s: %s", api.ErrorCode(), api.ErrorMessage(), code, message)
	}
	var response *awshttp.ResponseError
	if !errors.As(err, &response) {
		t.Fatalf("%v carries no response", err)
	}
	equal(t, "status", response.HTTPStatusCode(), 400)
	if !requestID.MatchString(response.ServiceRequestID()) {
		t.Errorf("request id %q", response.ServiceRequestID())
	}
}

// spoilingProxy forwards to the server. `first` sees the first request and its answer, may change the
// answer, and may panic with http.ErrAbortHandler to break the connection.
func spoilingProxy(t *testing.T, first func(*http.Response) error) (address string, requests *int32) {
	t.Helper()
	target, err := url.Parse(sdk.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	requests = new(int32)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(response *http.Response) error {
		if atomic.AddInt32(requests, 1) == 1 {
			return first(response)
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, requests
}

// item is the key pk and pairs of further names and values.
func item(pk string, more ...interface{}) attributes {
	members := attributes{"pk": &types.AttributeValueMemberS{Value: pk}}
	for i := 0; i < len(more); i += 2 {
		members[more[i].(string)] = more[i+1].(types.AttributeValue)
	}
	return members
}

func text(value string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: value} }
func number(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
