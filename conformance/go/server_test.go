// Package conformance drives a Stator server through the AWS SDK for Go v2.
//
// This file holds what the tests share: clients aimed at the server under test, tables that live for
// one test, exact expectations of errors, and a proxy that spoils the first answer.
package conformance

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
)

const (
	invalid  = "One or more parameter values were invalid: "
	notValid = "One or more parameter values are not valid. "
	oneError = "1 validation error detected: "
	maxWait  = 2 * time.Minute
)

var (
	endpoint    = os.Getenv("STATOR_ENDPOINT")
	tlsEndpoint = os.Getenv("STATOR_TLS_ENDPOINT")
	requestID   = regexp.MustCompile(`^[0-9A-Z]{52}$`)
	ctx         = context.Background()
	transport   = &http.Transport{
		MaxIdleConnsPerHost: 64,
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
	}
)

func TestMain(m *testing.M) {
	if endpoint == "" {
		fmt.Fprintln(os.Stderr, "STATOR_ENDPOINT is not set: start the tests with ./run")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// warnings counts what the SDK warns about. It checks the CRC of every answer, also of compressed
// ones, but only warns when one is wrong: newClient makes such a warning fail the test.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

func (w *warnings) Logf(level logging.Classification, format string, values ...interface{}) {
	if level == logging.Warn {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.texts = append(w.texts, fmt.Sprintf(format, values...))
	}
}

func (w *warnings) all() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.texts...)
}

// faults leaves out what the client does to itself: now and then, under load and with any server, its
// transport closes a connection whose answer is still being read ("use of closed network connection";
// a server's hand would show as an unexpected end or a reset). The request is sent again, and the part
// that was read cannot have the right checksum. A wrong checksum of a whole answer remains.
func faults(warnings []string) []string {
	var left []string
	torn := 0
	for _, text := range warnings {
		if strings.Contains(text, "failed to discard") && strings.Contains(text, "use of closed network connection") {
			torn++
		} else if torn > 0 && strings.Contains(text, "did not match expected checksum") {
			torn--
		} else {
			left = append(left, text)
		}
	}
	return left
}

func newClientWith(logger logging.Logger, change ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(endpoint),
		HTTPClient:   &http.Client{Transport: transport},
		Logger:       logger,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "conformance", SecretAccessKey: "conformance"}, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = 10 * time.Millisecond }),
	}, change...)
}

func newClient(t *testing.T, change ...func(*dynamodb.Options)) *dynamodb.Client {
	t.Helper()
	logger := &warnings{}
	t.Cleanup(func() {
		for _, text := range faults(logger.all()) {
			t.Errorf("the SDK warns: %s", text)
		}
	})
	return newClientWith(logger, change...)
}

// countingClient is an HTTP client that counts the attempts of each operation.
type countingClient struct {
	mutex  sync.Mutex
	counts map[string]int
}

func (c *countingClient) Do(request *http.Request) (*http.Response, error) {
	c.mutex.Lock()
	c.counts[request.Header.Get("X-Amz-Target")]++
	c.mutex.Unlock()
	return transport.RoundTrip(request)
}

func (c *countingClient) attempts(operation string) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.counts["DynamoDB_20120810."+operation]
}

func uniqueName() string {
	var random [6]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err)
	}
	return "go-" + hex.EncodeToString(random[:])
}

func attribute(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
}

func hashKey(name string) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: types.KeyTypeHash}
}

func rangeKey(name string) types.KeySchemaElement {
	return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: types.KeyTypeRange}
}

// onDemand describes a table with the string key pk and, when wanted, the number key sk.
func onDemand(sortKey bool) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName:            aws.String(uniqueName()),
		AttributeDefinitions: []types.AttributeDefinition{attribute("pk", types.ScalarAttributeTypeS)},
		KeySchema:            []types.KeySchemaElement{hashKey("pk")},
		BillingMode:          types.BillingModePayPerRequest,
	}
	if sortKey {
		input.AttributeDefinitions = append(input.AttributeDefinitions, attribute("sk", types.ScalarAttributeTypeN))
		input.KeySchema = append(input.KeySchema, rangeKey("sk"))
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

func describe(t *testing.T, client *dynamodb.Client, name string) *types.TableDescription {
	t.Helper()
	return must(client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)}))(t).Table
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
	target, err := url.Parse(endpoint)
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

func item(pk string, more ...interface{}) map[string]types.AttributeValue {
	attributes := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}}
	for i := 0; i < len(more); i += 2 {
		attributes[more[i].(string)] = more[i+1].(types.AttributeValue)
	}
	return attributes
}

func text(value string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: value} }
func number(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
func binary(value []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: value} }

func repeat(piece string, count int) string { return string(bytes.Repeat([]byte(piece), count)) }
