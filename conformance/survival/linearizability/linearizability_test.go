package linearizability

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	table      = "registers"
	clients    = 8
	keys       = 3
	operations = 16000
	crashes    = 5
)

var ctx = context.Background()

func newClient(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(endpoint),
		// A connection of its own for each client; no retry, which would be a second operation.
		HTTPClient: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 30 * time.Second},
		Retryer:    aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "conformance", SecretAccessKey: "conformance"}, nil
		}),
	})
}

func createTable(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// neverSent tells requests that found nobody listening from those whose answer was lost.
func neverSent(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

// history collects operations from all clients.
type history struct {
	mutex      sync.Mutex
	operations []porcupine.Operation
	started    time.Time
}

func (h *history) now() int64 { return time.Since(h.started).Nanoseconds() }

func (h *history) add(client int, in, out interface{}, call, returned int64) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: client, Input: in, Call: call, Output: out, Return: returned,
	})
}

func randomInput(random *rand.Rand) input {
	in := input{
		key:       fmt.Sprintf("key-%d", random.Intn(keys)),
		kind:      kind(random.Intn(4)),
		condition: condition(random.Intn(3)),
		wanted:    random.Intn(5),
		value:     random.Intn(5),
	}
	if in.kind == read {
		in.condition = always
	}
	return in
}

func number(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

func itemOf(attributes map[string]types.AttributeValue) item {
	if len(attributes) == 0 {
		return item{}
	}
	read := func(name string) int {
		member, ok := attributes[name].(*types.AttributeValueMemberN)
		if !ok {
			return 0
		}
		n, err := strconv.Atoi(member.Value)
		if err != nil {
			panic(err)
		}
		return n
	}
	return item{exists: true, value: read("value"), updates: read("updates")}
}

// The condition as the requests have it.
func (in input) expression() (text *string, names map[string]string, values map[string]types.AttributeValue) {
	switch in.condition {
	case absent:
		return aws.String("attribute_not_exists(pk)"), nil, nil
	case valueIs:
		return aws.String("#value = :wanted"), map[string]string{"#value": "value"},
			map[string]types.AttributeValue{":wanted": number(in.wanted)}
	}
	return nil, nil, nil
}

// send makes the request and returns the attributes of the answer.
func send(client *dynamodb.Client, in input) (map[string]types.AttributeValue, error) {
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: in.key}}
	text, names, values := in.expression()
	onFailure := types.ReturnValuesOnConditionCheckFailureAllOld
	switch in.kind {
	case put:
		stored := map[string]types.AttributeValue{"pk": key["pk"], "value": number(in.value)}
		out, err := client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: aws.String(table), Item: stored, ReturnValues: types.ReturnValueAllOld,
			ConditionExpression: text, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ReturnValuesOnConditionCheckFailure: onFailure,
		})
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	case update:
		if values == nil {
			values = map[string]types.AttributeValue{}
		}
		values[":value"], values[":one"] = number(in.value), number(1)
		out, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String(table), Key: key, ReturnValues: types.ReturnValueAllNew,
			UpdateExpression:    aws.String("SET #value = :value ADD updates :one"),
			ConditionExpression: text, ExpressionAttributeNames: map[string]string{"#value": "value"},
			ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure,
		})
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	case remove:
		out, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: aws.String(table), Key: key, ReturnValues: types.ReturnValueAllOld,
			ConditionExpression: text, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			ReturnValuesOnConditionCheckFailure: onFailure,
		})
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	}
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(table), Key: key, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

func outputOf(attributes map[string]types.AttributeValue, err error) (output, error) {
	if err == nil {
		return output{seen: itemOf(attributes)}, nil
	}
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return output{failed: true, seen: itemOf(failed.Item)}, nil
	}
	var answered interface{ HTTPStatusCode() int }
	if errors.As(err, &answered) && answered.HTTPStatusCode() != 0 {
		return output{}, err // any other answer is a fault of the server
	}
	return output{unknown: true}, nil
}

// attempt makes one request of random content and says what was asked and what became of it. An error is
// one of finding nobody listening, or a fault of the server.
type attempt func(random *rand.Rand, client *dynamodb.Client) (in, out interface{}, err error)

func single(random *rand.Rand, client *dynamodb.Client) (in, out interface{}, err error) {
	one := randomInput(random)
	attributes, err := send(client, one)
	if neverSent(err) {
		return one, nil, err
	}
	seen, err := outputOf(attributes, err)
	return one, seen, err
}

// record lets the clients loose. `during` runs beside them and gets a signal whenever another part of
// the operations, between two crashes, has begun. `end` says when an operation is over that has this output.
func record(t *testing.T, s *server, operations int64, try attempt, end func(out interface{}, now int64) int64,
	during func(part <-chan struct{})) []porcupine.Operation {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	h := &history{started: time.Now()}
	var begun atomic.Int64
	part := make(chan struct{}, crashes+1)
	var group sync.WaitGroup
	for c := 0; c < clients; c++ {
		group.Add(1)
		go func(c int) {
			defer group.Done()
			random := rand.New(rand.NewSource(seed + int64(c)))
			client := newClient(s.address)
			for {
				n := begun.Add(1)
				if n > operations {
					return
				}
				if n%(operations/(crashes+1)) == 0 && n < operations {
					part <- struct{}{}
				}
				call := h.now()
				in, out, err := try(random, client)
				if neverSent(err) {
					s.awaitListening()
					continue
				}
				if err != nil {
					t.Errorf("%+v: %v", in, err)
					return
				}
				h.add(c, in, out, call, end(out, h.now()))
			}
		}(c)
	}
	during(part)
	group.Wait()
	return h.operations
}

// An operation whose answer was lost never returned.
func neverWhenUnknown(out interface{}, now int64) int64 {
	if out.(output).unknown {
		return never
	}
	return now
}

func check(t *testing.T, model porcupine.Model, seen []porcupine.Operation) {
	t.Helper()
	result, information := porcupine.CheckOperationsVerbose(model, seen, 2*time.Minute)
	if result == porcupine.Ok {
		return
	}
	picture, err := os.CreateTemp("", "history-*.html")
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	if err := porcupine.Visualize(model, information, picture); err != nil {
		t.Error(err)
	}
	t.Fatalf("the checker says %v; the history is drawn in %s", result, picture.Name())
}

func howMany(seen []porcupine.Operation, is func(output) bool) int {
	n := 0
	for _, operation := range seen {
		if is(operation.Output.(output)) {
			n++
		}
	}
	return n
}

func TestInMemory(t *testing.T) {
	s := startServer(t)
	createTable(t, newClient(s.address))
	seen := record(t, s, operations, single, neverWhenUnknown, func(<-chan struct{}) {})
	if lost := howMany(seen, func(o output) bool { return o.unknown }); lost != 0 {
		t.Errorf("%d answers were lost", lost)
	}
	check(t, model, seen)

	// The checker sees what it should: one read of something else is found out.
	for i, operation := range seen {
		if out := operation.Output.(output); operation.Input.(input).kind == read && out.seen.exists {
			out.seen.updates += 1000
			seen[i].Output = out
			break
		}
	}
	if porcupine.CheckOperations(model, seen) {
		t.Error("a wrong read was accepted")
	}
}

func TestAcrossCrashes(t *testing.T) {
	for _, mode := range []string{"commit", "lazy"} {
		t.Run(mode, func(t *testing.T) {
			s := startServer(t, "--db-path", t.TempDir(), "--sync", mode)
			createTable(t, newClient(s.address))
			seen := record(t, s, operations, single, neverWhenUnknown, s.crashAtEach)
			answered := howMany(seen, func(o output) bool { return !o.unknown })
			t.Logf("%d operations, %d answered", len(seen), answered)
			if answered < operations/4 {
				t.Errorf("only %d of %d operations were answered", answered, len(seen))
			}
			check(t, model, seen)
		})
	}
}
