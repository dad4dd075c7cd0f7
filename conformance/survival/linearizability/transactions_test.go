package linearizability

import (
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// check is a kind of step that only a transaction has.
const conditionCheck kind = remove + 1

func randomBatch(random *rand.Rand) batch {
	if random.Intn(4) == 0 {
		one := randomInput(random)
		return batch{steps: []step{stepOf(one)}}
	}
	reads := random.Intn(3) == 0
	b := batch{together: true}
	for _, place := range random.Perm(keys)[:1+random.Intn(keys)] {
		in := randomInput(random)
		in.key = fmt.Sprintf("key-%d", place)
		if reads {
			in.kind, in.condition = read, always
		} else if in.kind == read {
			in.kind = conditionCheck
			if in.condition == always {
				in.condition = absent
			}
		} else if random.Intn(2) == 0 {
			in.condition = always // so that not most are cancelled
		}
		b.steps = append(b.steps, stepOf(in))
	}
	return b
}

func stepOf(in input) step {
	return step{place: int(in.key[len(in.key)-1] - '0'), input: in}
}

func keyOf(in input) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: in.key}}
}

func writeItem(in input) types.TransactWriteItem {
	text, names, values := in.expression()
	name, key, onFailure := aws.String(table), keyOf(in), types.ReturnValuesOnConditionCheckFailureAllOld
	switch in.kind {
	case put:
		key["value"] = number(in.value)
		return types.TransactWriteItem{Put: &types.Put{
			TableName: name, Item: key, ConditionExpression: text, ExpressionAttributeNames: names,
			ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
	case update:
		if values == nil {
			values = map[string]types.AttributeValue{}
		}
		values[":value"], values[":one"] = number(in.value), number(1)
		return types.TransactWriteItem{Update: &types.Update{
			TableName: name, Key: key, UpdateExpression: aws.String("SET #value = :value ADD updates :one"),
			ConditionExpression: text, ExpressionAttributeNames: map[string]string{"#value": "value"},
			ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
	case remove:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: name, Key: key, ConditionExpression: text, ExpressionAttributeNames: names,
			ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: name, Key: key, ConditionExpression: text, ExpressionAttributeNames: names,
		ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: onFailure}}
}

// outcomeOf understands the answer to a transaction, or to a single request of these attributes.
func outcomeOf(b batch, outputs []output, err error) (outcome, error) {
	if err == nil {
		return outcome{outputs: outputs}, nil
	}
	var conflict *types.TransactionConflictException
	if errors.As(err, &conflict) {
		return outcome{conflict: true}, nil
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		one, err := outputOf(nil, err)
		return outcome{unknown: one.unknown, outputs: []output{one}}, err
	}
	out := outcome{}
	if len(cancelled.CancellationReasons) != len(b.steps) {
		return out, err
	}
	for _, reason := range cancelled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "TransactionConflict":
			out.conflict = true
		case "ConditionalCheckFailed":
			out.outputs = append(out.outputs, output{failed: true, seen: itemOf(reason.Item)})
		case "None":
			out.outputs = append(out.outputs, output{})
		default:
			return out, err
		}
	}
	if !out.conflict && out.done() {
		return out, err // cancelled for nothing
	}
	return out, nil
}

func sendBatch(client *dynamodb.Client, b batch, token string) (outcome, error) {
	if !b.together {
		attributes, err := send(client, b.steps[0].input)
		if neverSent(err) {
			return outcome{}, err
		}
		return outcomeOf(b, []output{{seen: itemOf(attributes)}}, err)
	}
	outputs := make([]output, len(b.steps))
	if b.reads() {
		var gets []types.TransactGetItem
		for _, s := range b.steps {
			gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: aws.String(table), Key: keyOf(s.input)}})
		}
		answer, err := client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
		if neverSent(err) {
			return outcome{}, err
		}
		for i := range outputs {
			if err == nil {
				outputs[i].seen = itemOf(answer.Responses[i].Item)
			}
		}
		return outcomeOf(b, outputs, err)
	}
	var writes []types.TransactWriteItem
	for _, s := range b.steps {
		writes = append(writes, writeItem(s.input))
	}
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: writes, ClientRequestToken: aws.String(token)})
	if neverSent(err) {
		return outcome{}, err
	}
	return outcomeOf(b, outputs, err)
}

// transactional tries single requests and transactions. When the answer to a transaction that writes is lost, every
// other client sends it again with its token as soon as there is a server: it is still the same transaction.
func transactional(s *server) attempt {
	return func(random *rand.Rand, client *dynamodb.Client) (interface{}, interface{}, error) {
		b, token := randomBatch(random), fmt.Sprintf("%x", random.Uint64())
		again := b.together && !b.reads() && random.Intn(2) == 0
		out, err := sendBatch(client, b, token)
		for again && err == nil && out.unknown {
			s.awaitListening()
			retried, failed := sendBatch(client, b, token)
			if !neverSent(failed) {
				out, err = retried, failed
			}
		}
		return b, out, err
	}
}

func now(_ interface{}, now int64) int64 { return now }

func tell(t *testing.T, seen []porcupine.Operation) (conflicts, unknown int) {
	counts := map[string]int{}
	for _, operation := range seen {
		b, out := operation.Input.(batch), operation.Output.(outcome)
		name := "single"
		if b.together && b.reads() {
			name = "TransactGetItems"
		} else if b.together {
			name = "TransactWriteItems"
		}
		counts[name]++
		switch {
		case out.conflict:
			conflicts++
		case out.unknown:
			unknown++
		case b.together && !b.reads() && out.done():
			counts["committed"]++
		}
	}
	t.Logf("%d operations %v, %d conflicts, %d answers lost", len(seen), counts, conflicts, unknown)
	if counts["committed"] < len(seen)/20 {
		t.Errorf("only %d transactions were committed", counts["committed"])
	}
	return conflicts, unknown
}

func TestTransactions(t *testing.T) {
	s := startServer(t)
	createTable(t, newClient(s.address))
	seen := record(t, s, *transactions, transactional(s), now, func(<-chan struct{}) {})
	if conflicts, unknown := tell(t, seen); conflicts+unknown != 0 {
		t.Error("nothing stays in flight here, and no answer can be lost")
	}
	check(t, storeModel, seen)

	// The checker sees what it should: one item of one transactional read from another time is found out.
	for i, operation := range seen {
		b, out := operation.Input.(batch), operation.Output.(outcome)
		if b.together && b.reads() && len(b.steps) > 1 && out.outputs[0].seen.exists && out.outputs[1].seen.exists {
			torn := append([]output{}, out.outputs...)
			torn[0].seen.updates += 1000
			seen[i].Output = outcome{outputs: torn}
			break
		}
	}
	if porcupine.CheckOperations(storeModel, seen) {
		t.Error("a torn read was accepted")
	}
}

func TestTransactionsInFlight(t *testing.T) {
	s := startServer(t, "--transaction-time", *inFlight)
	createTable(t, newClient(s.address))
	seen := record(t, s, *transactions/3, transactional(s), now, func(<-chan struct{}) {})
	conflicts, unknown := tell(t, seen)
	if conflicts == 0 || unknown != 0 {
		t.Error("transactions in flight must be met, and no answer can be lost")
	}
	check(t, storeModel, seen)
}

func TestTransactionsAcrossCrashes(t *testing.T) {
	for _, flags := range [][]string{{}, {"--transaction-time", *inFlight}} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) {
			s := startServer(t, append(flags, "--db-path", t.TempDir(), "--sync", "commit")...)
			createTable(t, newClient(s.address))
			seen := record(t, s, *transactions/3, transactional(s), now, s.crashAtEach)
			if _, unknown := tell(t, seen); unknown == 0 {
				t.Error("no answer was lost")
			}
			check(t, storeModel, seen)
		})
	}
}

// Histories made by hand, that no serial order explains or that one does.
func TestStoreModel(t *testing.T) {
	write := func(condition condition, wanted int, values ...int) batch {
		b := batch{together: true}
		for place, value := range values {
			in := input{key: fmt.Sprint("key-", place), kind: put, condition: condition, wanted: wanted, value: value}
			b.steps = append(b.steps, stepOf(in))
		}
		return b
	}
	reading := batch{together: true, steps: []step{stepOf(input{key: "key-0"}), stepOf(input{key: "key-1"})}}
	saw := func(values ...int) outcome {
		var out outcome
		for _, value := range values {
			out.outputs = append(out.outputs, output{seen: item{exists: true, value: value}})
		}
		return out
	}
	done := outcome{outputs: make([]output, 2)}
	first := porcupine.Operation{Input: write(always, 0, 1, 1), Output: done, Call: 0, Return: 1}
	// A transaction that sees that one place holds 1 and writes 2 in the other.
	skew := func(looks, writes int) batch {
		return batch{together: true, steps: []step{
			stepOf(input{key: fmt.Sprint("key-", looks), kind: conditionCheck, condition: valueIs, wanted: 1}),
			stepOf(input{key: fmt.Sprint("key-", writes), kind: put, value: 2})}}
	}
	for name, c := range map[string]struct {
		rest    []porcupine.Operation
		allowed bool
	}{
		"whole read": {[]porcupine.Operation{
			{Input: write(always, 0, 2, 2), Output: done, Call: 2, Return: 5}, {Input: reading, Output: saw(2, 2), Call: 2, Return: 5}}, true},
		"torn read": {[]porcupine.Operation{
			{Input: write(always, 0, 2, 2), Output: done, Call: 2, Return: 5}, {Input: reading, Output: saw(2, 1), Call: 2, Return: 5}}, false},
		"stale read": {[]porcupine.Operation{
			{Input: write(always, 0, 2, 2), Output: done, Call: 2, Return: 3}, {Input: reading, Output: saw(1, 1), Call: 4, Return: 5}}, false},
		"write skew": {[]porcupine.Operation{
			{Input: skew(0, 1), Output: done, Call: 2, Return: 5}, {Input: skew(1, 0), Output: done, Call: 2, Return: 5}}, false},
		"lost answer, done": {[]porcupine.Operation{
			{Input: write(valueIs, 1, 2, 2), Output: outcome{unknown: true}, Call: 2, Return: 3},
			{Input: reading, Output: saw(2, 2), Call: 4, Return: 5}}, true},
		"lost answer, not done": {[]porcupine.Operation{
			{Input: write(valueIs, 1, 2, 2), Output: outcome{unknown: true}, Call: 2, Return: 3},
			{Input: reading, Output: saw(1, 1), Call: 4, Return: 5}}, true},
		"lost answer, half done": {[]porcupine.Operation{
			{Input: write(valueIs, 1, 2, 2), Output: outcome{unknown: true}, Call: 2, Return: 3},
			{Input: reading, Output: saw(1, 2), Call: 4, Return: 5}}, false},
		"lost answer, done late": {[]porcupine.Operation{
			{Input: write(valueIs, 1, 2, 2), Output: outcome{unknown: true}, Call: 2, Return: 3},
			{Input: reading, Output: saw(1, 1), Call: 4, Return: 5}, {Input: reading, Output: saw(2, 2), Call: 6, Return: 7}}, false},
		"cancelled for what did hold": {[]porcupine.Operation{
			{Input: write(valueIs, 1, 2, 2), Call: 2, Return: 3,
				Output: outcome{outputs: []output{{failed: true, seen: item{exists: true, value: 1}}, {}}}}}, false},
	} {
		for i := range c.rest {
			c.rest[i].ClientId = i
		}
		if porcupine.CheckOperations(storeModel, append([]porcupine.Operation{first}, c.rest...)) != c.allowed {
			t.Errorf("%s: allowed is %v", name, !c.allowed)
		}
	}
}
