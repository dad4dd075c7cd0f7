package conformance

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"stator/conformance/sdk"
)

// answers is an HTTP client that keeps the headers of each answer.
type answers struct{ headers []http.Header }

func (a *answers) Do(request *http.Request) (*http.Response, error) {
	response, err := sdk.Transport.RoundTrip(request)
	if err == nil {
		a.headers = append(a.headers, response.Header.Clone()) // the SDK changes its own
	}
	return response, err
}

// The SDK's own check of x-amz-crc32 only warns. That newClient finds no such warning elsewhere is
// worth something because a wrong checksum does give one.
func TestWrongChecksumIsNoticed(t *testing.T) {
	good := newClient(t)
	name := newTable(t, good, onDemand(false))
	address, requests := spoilingProxy(t, func(response *http.Response) error {
		sum, err := strconv.ParseUint(response.Header.Get("x-amz-crc32"), 10, 32)
		response.Header.Set("x-amz-crc32", strconv.FormatUint(sum^1, 10))
		return err
	})
	logger := &sdk.Warnings{}
	client := sdk.NewClient(logger, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(address) })
	table := items{client, name}
	must(table.put(item("one")))(t)
	equal(t, "warnings after a wrong checksum", len(logger.All()), 1)
	must(table.put(item("two")))(t)
	equal(t, "warnings after a right checksum", len(logger.All()), 1)
	equal(t, "requests", atomic.LoadInt32(requests), int32(2))
}

func TestRetries(t *testing.T) {
	good := newClient(t)
	name := newTable(t, good, onDemand(false))
	for what, spoil := range map[string]func(*http.Response) error{
		"server error": func(response *http.Response) error {
			response.StatusCode = http.StatusInternalServerError
			return nil
		},
		"gateway error":     func(*http.Response) error { return http.ErrHandlerTimeout },
		"broken connection": func(*http.Response) error { panic(http.ErrAbortHandler) },
	} {
		t.Run(what, func(t *testing.T) {
			address, requests := spoilingProxy(t, spoil)
			client := sdk.NewClient(&sdk.Warnings{}, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(address) })
			must(items{client, name}.put(item(what)))(t)
			equal(t, "requests", atomic.LoadInt32(requests), int32(2))
			equal(t, "stored", must(items{good, name}.get(item(what)))(t).Item, item(what))
		})
	}
}

// newClient fails on a wrong checksum, here taken over the compressed bytes.
func TestCompressedAnswers(t *testing.T) {
	seen := &answers{}
	client := newClient(t, func(o *dynamodb.Options) {
		o.EnableAcceptEncodingGzip = true
		o.HTTPClient = seen
	})
	table := items{client, newTable(t, client, onDemand(false))}
	big := item("big", "data", text(strings.Repeat("all work and no play ", 10000)))
	must(table.put(big))(t)
	equal(t, "the item", must(table.get(item("big")))(t).Item, big)
	header := seen.headers[len(seen.headers)-1]
	equal(t, "encoding", header.Get("Content-Encoding"), "gzip")
	if length, err := strconv.Atoi(header.Get("Content-Length")); err != nil || length > 20000 {
		t.Errorf("content length %q", header.Get("Content-Length"))
	}
	must(table.get(item("none")))(t)
	equal(t, "encoding of a small answer", seen.headers[len(seen.headers)-1].Get("Content-Encoding"), "")
}

func TestTLS(t *testing.T) {
	if tlsEndpoint == "" {
		t.Skip("no STATOR_TLS_ENDPOINT")
	}
	if !strings.HasPrefix(tlsEndpoint, "https://") {
		t.Fatal(tlsEndpoint)
	}
	aimed := func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(tlsEndpoint) }
	client := newClient(t, aimed)
	table := items{client, newTable(t, client, onDemand(false))}
	big := item("secret", "data", text(strings.Repeat("s", 300000)))
	must(table.put(big))(t)
	equal(t, "the item", must(table.get(item("secret")))(t).Item, big)

	_, err := newClient(t, aimed, func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: &http.Transport{}}
		o.RetryMaxAttempts = 1
	}).ListTables(ctx, &dynamodb.ListTablesInput{})
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want a refused certificate", err)
	}
}
