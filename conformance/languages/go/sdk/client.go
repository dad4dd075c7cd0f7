// Package sdk makes clients of the AWS SDK for Go v2 that are aimed at the server under test.
package sdk

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
)

// Endpoint is the server under test.
var Endpoint = os.Getenv("STATOR_ENDPOINT")

// Transport is shared by all clients; it trusts every certificate.
var Transport http.RoundTripper = ownBodies{&http.Transport{
	MaxIdleConnsPerHost: 64,
	TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
}}

// ownBodies sends a copy of each body. The SDK closes a request's body as soon as the head of the answer
// is there; net/http may then not have seen the end of the body yet, takes that for an error of its own
// and closes the connection in the middle of the answer. The SDK sends the request again, and a
// DeleteItem's second answer has no old item. Any server that answers fast meets it: 19 of 4,800 answers
// of 400 KB here.
type ownBodies struct{ transport *http.Transport }

func (o ownBodies) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body == nil {
		return o.transport.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	own := request.Clone(request.Context())
	own.Body = io.NopCloser(bytes.NewReader(body))
	return o.transport.RoundTrip(own)
}

// Warnings keeps what the SDK warns about: it checks the CRC of every answer, also of compressed
// ones, but only warns when one is wrong.
type Warnings struct {
	mutex sync.Mutex
	texts []string
}

// Logf is called by the SDK.
func (w *Warnings) Logf(level logging.Classification, format string, values ...interface{}) {
	if level == logging.Warn {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.texts = append(w.texts, fmt.Sprintf(format, values...))
	}
}

// All is every warning so far.
func (w *Warnings) All() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.texts...)
}

// NewClient is a client of the server under test that logs to the given logger.
func NewClient(logger logging.Logger, change ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(Endpoint),
		HTTPClient:   &http.Client{Transport: Transport},
		Logger:       logger,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "conformance", SecretAccessKey: "conformance"}, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = 10 * time.Millisecond }),
	}, change...)
}
