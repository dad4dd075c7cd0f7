package conformance

import (
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// rowsPerScenario is the least a scenario generates.
const rowsPerScenario = 10000

// newRandom prints its seed; STATOR_SEED repeats a run.
func newRandom(t *testing.T) *rand.Rand {
	seed := time.Now().UnixNano()
	if text := os.Getenv("STATOR_SEED"); text != "" {
		parsed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = parsed
	}
	t.Logf("STATOR_SEED=%d", seed)
	return rand.New(rand.NewSource(seed))
}

// row is an item of texts and whole numbers, as the oracle keeps it.
type row map[string]interface{}

func (r row) item() attributes {
	item := attributes{}
	for name, value := range r {
		switch value := value.(type) {
		case string:
			item[name] = text(value)
		case int:
			item[name] = number(strconv.Itoa(value))
		default:
			panic(fmt.Sprintf("%s: %T", name, value))
		}
	}
	return item
}

func (r row) text(name string) string {
	value, _ := r[name].(string)
	return value
}

func (r row) number(name string) int {
	value, _ := r[name].(int)
	return value
}

func rowOf(item attributes) row {
	r := row{}
	for name, value := range item {
		switch value := value.(type) {
		case *types.AttributeValueMemberS:
			r[name] = value.Value
		case *types.AttributeValueMemberN:
			n, err := strconv.Atoi(value.Value)
			if err != nil {
				panic(err)
			}
			r[name] = n
		}
	}
	return r
}

// store is a table and, beside it, the rows that it must hold.
type store struct {
	t      *testing.T
	client *dynamodb.Client
	name   string
	rows   []row
}

func newStore(t *testing.T, input *dynamodb.CreateTableInput, rows []row) *store {
	t.Helper()
	client := newClient(t)
	s := &store{t, client, newTable(t, client, input), rows}
	var group sync.WaitGroup
	const loaders = 3
	for loader := 0; loader < loaders; loader++ {
		group.Add(1)
		go func(loader int) {
			defer group.Done()
			for at := 25 * loader; at < len(rows); at += 25 * loaders {
				s.write(rows[at:min(at+25, len(rows))])
			}
		}(loader)
	}
	group.Wait()
	return s
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// write puts up to 25 rows, again and again until none is left unprocessed.
func (s *store) write(rows []row) {
	var requests []types.WriteRequest
	for _, r := range rows {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: r.item()}})
	}
	left := map[string][]types.WriteRequest{s.name: requests}
	for len(left) > 0 {
		answer, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: left})
		if err != nil {
			s.t.Error(err)
			return
		}
		left = answer.UnprocessedItems
	}
}

// query is a Query to the end, with values for `:name` placeholders; names stand for themselves
// behind `#`.
type query struct {
	index, condition, filter string
	values                   row
	descending               bool
	pageSize                 int
}

func placeholderNames(expressions ...string) map[string]string {
	names := map[string]string{}
	for _, word := range strings.FieldsFunc(strings.Join(expressions, " "), func(r rune) bool {
		return !(r == '#' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) {
		if strings.HasPrefix(word, "#") {
			names[word] = word[1:]
		}
	}
	if len(names) == 0 {
		return nil // the service refuses an empty map
	}
	return names
}

func (s *store) query(q query) []row {
	s.t.Helper()
	input := &dynamodb.QueryInput{
		TableName:                 aws.String(s.name),
		KeyConditionExpression:    aws.String(q.condition),
		ExpressionAttributeNames:  placeholderNames(q.condition, q.filter),
		ExpressionAttributeValues: attributes{},
		ScanIndexForward:          aws.Bool(!q.descending),
	}
	for name, value := range q.values.item() {
		input.ExpressionAttributeValues[":"+name] = value
	}
	if q.index != "" {
		input.IndexName = aws.String(q.index)
	}
	if q.filter != "" {
		input.FilterExpression = aws.String(q.filter)
	}
	if q.pageSize > 0 {
		input.Limit = aws.Int32(int32(q.pageSize))
	}
	var found []row
	for pages := dynamodb.NewQueryPaginator(s.client, input); pages.HasMorePages(); {
		page := must(pages.NextPage(ctx))(s.t)
		if q.pageSize > 0 && int(page.ScannedCount) > q.pageSize {
			s.t.Errorf("a page of %d with Limit %d", page.ScannedCount, q.pageSize)
		}
		for _, item := range page.Items {
			found = append(found, rowOf(item))
		}
	}
	return found
}

// where is the oracle's answer: the rows that hold, in the order of `sortKey` ("" for any order, by
// `identity` then).
func (s *store) where(holds func(row) bool, sortKey string, descending bool) []row {
	var found []row
	for _, r := range s.rows {
		if holds(r) {
			found = append(found, r)
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if descending {
			a, b = b, a
		}
		if _, isText := a[sortKey].(string); isText {
			return a.text(sortKey) < b.text(sortKey)
		}
		return a.number(sortKey) < b.number(sortKey)
	})
	return found
}

// same demands the rows in the order given by `sortKey`; rows that are equal there may be swapped, so
// they are compared as sets by `identity`.
func (s *store) same(what string, got, want []row, sortKey, identity string) {
	s.t.Helper()
	if len(got) != len(want) {
		s.t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if fmt.Sprint(got[i][sortKey]) != fmt.Sprint(want[i][sortKey]) {
			s.t.Errorf("%s, row %d: %s is %v, want %v", what, i, sortKey, got[i][sortKey], want[i][sortKey])
			return
		}
	}
	byIdentity := func(rows []row) []row {
		sorted := append([]row(nil), rows...)
		sort.Slice(sorted, func(i, j int) bool {
			return fmt.Sprint(sorted[i][identity]) < fmt.Sprint(sorted[j][identity])
		})
		return sorted
	}
	equal(s.t, what, byIdentity(got), byIdentity(want))
}

// stringKeys is a table definition with text keys and indexes named after their partition key:
// "pk sk" or "pk" each.
func stringKeys(table string, global ...string) *dynamodb.CreateTableInput {
	defined := map[string]bool{}
	input := &dynamodb.CreateTableInput{TableName: aws.String(uniqueName()), BillingMode: types.BillingModePayPerRequest}
	schema := func(keys string) []types.KeySchemaElement {
		var elements []types.KeySchemaElement
		for i, name := range strings.Fields(keys) {
			kind := types.ScalarAttributeTypeS
			if strings.HasSuffix(name, ":N") {
				name, kind = strings.TrimSuffix(name, ":N"), types.ScalarAttributeTypeN
			}
			if !defined[name] {
				defined[name] = true
				input.AttributeDefinitions = append(input.AttributeDefinitions, attribute(name, kind))
			}
			if i == 0 {
				elements = append(elements, hashKey(name))
			} else {
				elements = append(elements, rangeKey(name))
			}
		}
		return elements
	}
	input.KeySchema = schema(table)
	for _, keys := range global {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  aws.String("by-" + strings.Fields(keys)[0]),
			KeySchema:  schema(keys),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		})
	}
	return input
}
