// Package sdk makes clients of the AWS SDK for Go v2 that are aimed at the server under test.
package sdk

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"strings"
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
var Transport = &http.Transport{
	MaxIdleConnsPerHost: 64,
	TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
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

// Faults leaves out what the client does to itself: now and then, under load and with any server, its
// transport closes a connection whose answer is still being read ("use of closed network connection";
// a server's hand would show as an unexpected end or a reset). The request is sent again, and the part
// that was read cannot have the right checksum. A wrong checksum of a whole answer remains.
func (w *Warnings) Faults() []string {
	var left []string
	torn := 0
	for _, text := range w.All() {
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
