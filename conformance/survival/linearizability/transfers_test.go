package linearizability

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var (
	transactions = flag.Int64("transactions", 6000, "operations of the longest history with transactions")
	inFlight     = flag.String("in-flight", "0.002", "--transaction-time of the histories that have one")
	transferTime = flag.Duration("transfer-time", time.Second, "how long money is moved, each time")
)

const (
	families  = 100 // money stays in a family
	members   = 4
	tellers   = 100
	opening   = 1000
	onlooking = 4
)

func account(family, member int) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: fmt.Sprint(family, "/", member)}}
}

// total is what some families have together, read in one transaction; ok is false when a transfer was in flight.
func total(client *dynamodb.Client, first, count int) (sum int, ok bool, err error) {
	var gets []types.TransactGetItem
	for n := 0; n < count*members; n++ {
		key := account((first+n/members)%families, n%members)
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: aws.String(table), Key: key}})
	}
	input := &dynamodb.TransactGetItemsInput{TransactItems: gets}
	answer, err := client.TransactGetItems(ctx, input)
	// Go's transport now and then closes a connection while its answer is read; the SDK, which must not try
	// again here, would (aws-sdk-go-v2, issue 2737).
	for errors.Is(err, net.ErrClosed) {
		answer, err = client.TransactGetItems(ctx, input)
	}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	for _, response := range answer.Responses {
		sum += itemOf(response.Item).value
	}
	return sum, true, nil
}

// transfer moves an amount and says whether the giver had it; false too when another transfer was in the way.
func transfer(client *dynamodb.Client, family, giver, taker, amount int) (bool, error) {
	change := func(n int, expression string, condition *string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(table), Key: account(family, n), UpdateExpression: aws.String(expression),
			ConditionExpression: condition, ExpressionAttributeNames: map[string]string{"#value": "value"},
			ExpressionAttributeValues: map[string]types.AttributeValue{":n": number(amount)}}}
	}
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		change(giver, "SET #value = #value - :n", aws.String("#value >= :n")),
		change(taker, "SET #value = #value + :n", nil)}})
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		return false, nil
	}
	return err == nil, err
}

func TestTransfersKeepTheSum(t *testing.T) {
	for _, flags := range [][]string{{}, {"--transaction-time", *inFlight}} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) {
			s := startServer(t, flags...)
			client := newClient(s.address)
			createTable(t, client)
			for n := 0; n < families*members; n++ {
				stored := account(n/members, n%members)
				stored["value"] = number(opening)
				if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: stored}); err != nil {
					t.Fatal(err)
				}
			}
			moved, refused, looked, disturbed := moveMoney(t, s, time.Now().Add(*transferTime))
			t.Logf("%d transfers, %d refused; %d looks, %d disturbed", moved, refused, looked, disturbed)
			if moved == 0 || looked == 0 {
				t.Error("nothing was moved or seen")
			}
			for family := 0; family < families; family++ {
				if sum, ok, err := total(client, family, 1); err != nil || !ok || sum != members*opening {
					t.Errorf("in the end family %d has %d, %v", family, sum, err)
				}
			}
		})
	}
}

func moveMoney(t *testing.T, s *server, end time.Time) (moved, refused, looked, disturbed int64) {
	var group sync.WaitGroup
	for c := 0; c < tellers+onlooking; c++ {
		group.Add(1)
		go func(c int) {
			defer group.Done()
			random, client := rand.New(rand.NewSource(int64(c))), newClient(s.address)
			for time.Now().Before(end) {
				if c < tellers {
					pair := random.Perm(members)
					done, err := transfer(client, random.Intn(families), pair[0], pair[1], 1+random.Intn(opening))
					if err != nil {
						t.Error(err)
						return
					}
					count(done, &moved, &refused)
					continue
				}
				looksAt := []int{1, 2, 100 / members}[random.Intn(3)]
				sum, ok, err := total(client, random.Intn(families), looksAt)
				if err != nil || (ok && sum != looksAt*members*opening) {
					t.Errorf("%d families have %d, %v", looksAt, sum, err)
					return
				}
				count(ok, &looked, &disturbed)
			}
		}(c)
	}
	group.Wait()
	return moved, refused, looked, disturbed
}

func count(good bool, these, those *int64) {
	if !good {
		these = those
	}
	atomic.AddInt64(these, 1)
}
