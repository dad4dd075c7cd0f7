// Lets scenarios/ call the server through the AWS SDK for Go v2: one call per line of standard input,
// one answer per line of standard output (scenarios/sdk.py says what they hold). Ends with status 1 when
// the SDK warned of something, as it does of a wrong checksum.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"stator/conformance/sdk"
)

type request struct {
	ID    int             `json:"id"`
	Call  string          `json:"call"`
	Input json.RawMessage `json:"input"`
}

type answer struct {
	ID        int         `json:"id"`
	Output    interface{} `json:"output,omitempty"`
	Error     string      `json:"error,omitempty"`
	Message   string      `json:"message,omitempty"`
	Reasons   interface{} `json:"reasons,omitempty"`
	Typed     bool        `json:"typed"`
	Status    int         `json:"status,omitempty"`
	RequestID string      `json:"requestId,omitempty"`
	Broken    string      `json:"broken,omitempty"`
}

// newReader is a client of streams with the settings of another client.
func newReader(like *dynamodb.Client) *dynamodbstreams.Client {
	options := like.Options()
	return dynamodbstreams.New(dynamodbstreams.Options{
		Region: options.Region, BaseEndpoint: options.BaseEndpoint, HTTPClient: options.HTTPClient,
		Logger: options.Logger, Credentials: options.Credentials, Retryer: options.Retryer})
}

type clients struct {
	items   *dynamodb.Client
	streams *dynamodbstreams.Client
}

func (c clients) method(name string) reflect.Value {
	if method := reflect.ValueOf(c.items).MethodByName(name); method.IsValid() {
		return method
	}
	return reflect.ValueOf(c.streams).MethodByName(name)
}

func call(to clients, asked request) (got answer) {
	got.ID = asked.ID
	method := to.method(asked.Call)
	if !method.IsValid() {
		got.Broken = "no operation " + asked.Call
		return got
	}
	decoder := json.NewDecoder(bytes.NewReader(asked.Input))
	decoder.UseNumber()
	var members interface{}
	input := reflect.New(method.Type().In(1).Elem())
	if err := decoder.Decode(&members); err != nil {
		got.Broken = err.Error()
		return got
	}
	if err := set(input.Elem(), members); err != nil {
		got.Broken = asked.Call + err.Error()
		return got
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(context.Background()), input})
	if err, failed := results[1].Interface().(error); failed {
		describe(&got, err)
		return got
	}
	metadata := results[0].Elem().FieldByName("ResultMetadata").Interface().(middleware.Metadata)
	got.RequestID, _ = awsmiddleware.GetRequestIDMetadata(metadata)
	if response, ok := awsmiddleware.GetRawResponse(metadata).(*smithyhttp.Response); ok {
		got.Status = response.StatusCode
	}
	got.Output = get(results[0])
	return got
}

func describe(got *answer, err error) {
	var api smithy.APIError
	var response *awshttp.ResponseError
	if !errors.As(err, &api) || !errors.As(err, &response) {
		got.Broken = err.Error()
		return
	}
	got.Error, got.Message = api.ErrorCode(), api.ErrorMessage()
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		got.Reasons = get(reflect.ValueOf(cancelled.CancellationReasons))
	}
	got.Typed = reflect.TypeOf(api).Elem().Name() == got.Error
	got.Status, got.RequestID = response.HTTPStatusCode(), response.ServiceRequestID()
}

func main() {
	warnings := &sdk.Warnings{}
	items := sdk.NewClient(warnings)
	to := clients{items, newReader(items)}
	output := json.NewEncoder(os.Stdout)
	var mutex sync.Mutex
	var group sync.WaitGroup
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		group.Add(1)
		go func() {
			defer group.Done()
			got := call(to, asked)
			mutex.Lock()
			defer mutex.Unlock()
			if err := output.Encode(got); err != nil {
				panic(err)
			}
		}()
	}
	group.Wait()
	for _, text := range warnings.All() {
		fmt.Fprintln(os.Stderr, "the SDK warns:", text)
		defer os.Exit(1)
	}
}
