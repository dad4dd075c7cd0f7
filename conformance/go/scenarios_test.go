package conformance

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestScenarioGameUsers(t *testing.T) {
	random := newRandom(t)
	providers := []string{"apple", "google", "steam"}
	var rows []row
	for i := 0; i < rowsPerScenario; i++ {
		user := row{"id": fmt.Sprintf("u%05d", i), "provider": providers[random.Intn(3)],
			"account": fmt.Sprintf("%c%05d", 'a'+rune(random.Intn(4)), i), "level": random.Intn(100)}
		if random.Intn(5) > 0 {
			user["email"] = fmt.Sprintf("mail%d@example.com", random.Intn(8000))
		}
		rows = append(rows, user)
	}
	users := newStore(t, stringKeys("id", "provider account", "email"), rows)

	for i := 0; i < 100; i++ {
		want := rows[random.Intn(len(rows))]
		equal(t, "by id", users.query(query{condition: "id = :id", values: row{"id": want["id"]}}), []row{want})
		found := users.query(query{index: "by-provider", condition: "provider = :p AND account = :a",
			values: row{"p": want["provider"], "a": want["account"]}})
		equal(t, "by provider", found, []row{want})
		if email := want.text("email"); email != "" {
			found = users.query(query{index: "by-email", condition: "email = :e", values: row{"e": email}})
			holds := func(r row) bool { return r.text("email") == email }
			users.same("by email", found, users.where(holds, "email", false), "email", "id")
		}
	}
	for _, provider := range providers {
		found := users.query(query{index: "by-provider", condition: "provider = :p AND begins_with(account, :a)",
			filter: "#level >= :least", values: row{"p": provider, "a": "b", "least": 50}, descending: true, pageSize: 97})
		holds := func(r row) bool {
			return r.text("provider") == provider && strings.HasPrefix(r.text("account"), "b") && r.number("level") >= 50
		}
		users.same("a provider's b accounts", found, users.where(holds, "account", true), "account", "id")
	}
}

func TestScenarioInventory(t *testing.T) {
	random := newRandom(t)
	var rows []row
	for i := 0; i < rowsPerScenario; i++ {
		rows = append(rows, row{"player": fmt.Sprintf("p%02d", i%40), "count": random.Intn(9), "number": i,
			"place": fmt.Sprintf("char#%02d#inventory#%s#%04d", random.Intn(6), []string{"armor", "potion", "weapon"}[i%3], i)})
	}
	inventory := newStore(t, stringKeys("player place"), rows)

	for i := 0; i < 60; i++ {
		player, prefix := fmt.Sprintf("p%02d", random.Intn(40)), fmt.Sprintf("char#%02d#inventory#weapon", random.Intn(6))
		found := inventory.query(query{condition: "player = :p AND begins_with(place, :b)",
			values: row{"p": player, "b": prefix}, pageSize: 1 + random.Intn(20)})
		holds := func(r row) bool { return r.text("player") == player && strings.HasPrefix(r.text("place"), prefix) }
		inventory.same("weapons", found, inventory.where(holds, "place", false), "place", "number")

		from, to := "char#01#inventory#potion", "char#03"
		found = inventory.query(query{condition: "player = :p AND place BETWEEN :f AND :t",
			values: row{"p": player, "f": from, "t": to}, descending: i%2 == 0})
		holds = func(r row) bool {
			return r.text("player") == player && r.text("place") >= from && r.text("place") <= to
		}
		inventory.same("a range", found, inventory.where(holds, "place", i%2 == 0), "place", "number")
	}
}

func TestScenarioOrders(t *testing.T) {
	random := newRandom(t)
	states := []string{"delivered", "paid", "pending"}
	var rows []row
	for i := 0; i < rowsPerScenario; i++ {
		state, date := states[random.Intn(3)], fmt.Sprintf("2026-%02d-%02d", 1+random.Intn(12), 1+random.Intn(28))
		order := row{"user": fmt.Sprintf("u%03d", random.Intn(200)), "order": fmt.Sprintf("o%05d", i),
			"state_date": state + "#" + date, "state": state, "date": date, "total": random.Intn(1000)}
		if state == "pending" {
			order["pending_since"] = date
		}
		rows = append(rows, order)
	}
	input := stringKeys("user order", "state date", "pending_since user")
	input.AttributeDefinitions = append(input.AttributeDefinitions, attribute("state_date", types.ScalarAttributeTypeS))
	input.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{
		IndexName:  aws.String("by-state-date"),
		KeySchema:  []types.KeySchemaElement{hashKey("user"), rangeKey("state_date")},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
	}}
	orders := newStore(t, input, rows)

	for i := 0; i < 60; i++ {
		user, prefix := fmt.Sprintf("u%03d", random.Intn(200)), "paid#2026-0"
		found := orders.query(query{index: "by-state-date", condition: "#user = :u AND begins_with(state_date, :s)",
			values: row{"u": user, "s": prefix}})
		holds := func(r row) bool { return r.text("user") == user && strings.HasPrefix(r.text("state_date"), prefix) }
		var keys []row
		for _, r := range orders.where(holds, "state_date", false) {
			keys = append(keys, row{"user": r["user"], "order": r["order"], "state_date": r["state_date"]})
		}
		orders.same("a user's paid orders", found, keys, "state_date", "order")

		day := fmt.Sprintf("2026-%02d-%02d", 1+random.Intn(12), 1+random.Intn(28))
		found = orders.query(query{index: "by-pending_since", condition: "pending_since = :d", values: row{"d": day}})
		holds = func(r row) bool { return r.text("pending_since") == day }
		orders.same("pending since a day", found, orders.where(holds, "user", false), "user", "order")
	}
	found := orders.query(query{index: "by-state", condition: "#state = :s AND #date BETWEEN :f AND :t",
		values: row{"s": "delivered", "f": "2026-03-01", "t": "2026-05-31"}, pageSize: 311})
	holds := func(r row) bool {
		return r.text("state") == "delivered" && r.text("date") >= "2026-03-01" && r.text("date") <= "2026-05-31"
	}
	orders.same("delivered in spring", found, orders.where(holds, "date", false), "date", "order")
}

// update runs an UpdateItem of one item with values for `:name` placeholders.
func update(client *dynamodb.Client, table, pk, expression, condition string, values row) (attributes, error) {
	input := &dynamodb.UpdateItemInput{
		TableName: aws.String(table), Key: item(pk), UpdateExpression: aws.String(expression),
		ExpressionAttributeValues: attributes{}, ReturnValues: types.ReturnValueAllNew,
		ExpressionAttributeNames: placeholderNames(expression, condition),
	}
	if condition != "" {
		input.ConditionExpression = aws.String(condition)
	}
	for name, value := range values.item() {
		input.ExpressionAttributeValues[":"+name] = value
	}
	answer, err := client.UpdateItem(ctx, input)
	if err != nil {
		return nil, err
	}
	return answer.Attributes, nil
}

func TestScenarioStockAndCounters(t *testing.T) {
	client := newClient(t)
	table := newTable(t, client, onDemand(false))
	must(client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(table), Item: row{"pk": "stock", "left": 500}.item()}))(t)
	const clients, tries = 64, 12
	var sold, refusals int64
	var group sync.WaitGroup
	for c := 0; c < clients; c++ {
		group.Add(1)
		go func(c int) {
			defer group.Done()
			own := newClient(t)
			for i := 0; i < tries; i++ {
				wanted := 1 + (c+i)%2
				_, err := update(own, table, "stock", "SET #left = #left - :n", "#left >= :n", row{"n": wanted})
				var failed *types.ConditionalCheckFailedException
				switch {
				case err == nil:
					atomic.AddInt64(&sold, int64(wanted))
				case errors.As(err, &failed):
					atomic.AddInt64(&refusals, 1)
				default:
					t.Error(err)
				}
				if _, err := update(own, table, "counter", "ADD #hits :one", "", row{"one": 1}); err != nil {
					t.Error(err)
				}
			}
		}(c)
	}
	group.Wait()
	read := func(pk string) row {
		return rowOf(must(client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String(table), Key: item(pk), ConsistentRead: aws.Bool(true)}))(t).Item)
	}
	left := read("stock").number("left")
	equal(t, "sold and left", int(sold)+left, 500)
	if left < 0 || refusals == 0 {
		t.Errorf("%d left, %d refusals", left, refusals)
	}
	equal(t, "counter", read("counter").number("hits"), clients*tries)
}

func TestScenarioOptimisticLocking(t *testing.T) {
	client := newClient(t)
	table := newTable(t, client, onDemand(false))
	must(client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(table), Item: row{"pk": "page", "version": 0, "sum": 0}.item()}))(t)
	const writers, edits = 8, 20
	var group sync.WaitGroup
	for w := 0; w < writers; w++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for done := 0; done < edits; {
				answer, err := client.GetItem(ctx, &dynamodb.GetItemInput{
					TableName: aws.String(table), Key: item("page"), ConsistentRead: aws.Bool(true)})
				if err != nil {
					t.Error(err)
					return
				}
				seen := rowOf(answer.Item)
				_, err = update(client, table, "page", "SET #version = :next, #sum = :sum", "#version = :seen",
					row{"next": seen.number("version") + 1, "seen": seen["version"], "sum": seen.number("sum") + 3})
				var failed *types.ConditionalCheckFailedException
				if err == nil {
					done++
				} else if !errors.As(err, &failed) {
					t.Error(err)
					return
				}
			}
		}()
	}
	group.Wait()
	final := rowOf(must(client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(table), Key: item("page"), ConsistentRead: aws.Bool(true)}))(t).Item)
	equal(t, "every edit counted once", final, row{"pk": "page", "version": writers * edits, "sum": 3 * writers * edits})
}

func TestScenarioPagesAndSegments(t *testing.T) {
	random := newRandom(t)
	var rows []row
	for i := 0; i < rowsPerScenario; i++ {
		rows = append(rows, row{"device": fmt.Sprintf("device-abc#%d", 1+i%8), "at": i, "value": random.Intn(1000),
			"note": strings.Repeat("x", random.Intn(40))})
	}
	sensors := newStore(t, stringKeys("device at:N"), rows)
	for shard := 1; shard <= 8; shard++ {
		device := "device-abc#" + strconv.Itoa(shard)
		found := sensors.query(query{condition: "device = :d AND #at >= :from", values: row{"d": device, "from": 4000},
			pageSize: shard * shard, descending: shard%2 == 0})
		holds := func(r row) bool { return r.text("device") == device && r.number("at") >= 4000 }
		sensors.same(device, found, sensors.where(holds, "at", shard%2 == 0), "at", "at")
	}
	for _, segments := range []int32{1, 3, 16} {
		var all []row
		for segment := int32(0); segment < segments; segment++ {
			pages := dynamodb.NewScanPaginator(sensors.client, &dynamodb.ScanInput{
				TableName: aws.String(sensors.name), Segment: aws.Int32(segment), TotalSegments: aws.Int32(segments)})
			for pages.HasMorePages() {
				for _, found := range must(pages.NextPage(ctx))(t).Items {
					all = append(all, rowOf(found))
				}
			}
		}
		anywhere := func(row) bool { return true }
		byTime := (&store{t: t, rows: all}).where(anywhere, "at", false)
		equal(t, fmt.Sprintf("%d segments", segments), byTime, sensors.where(anywhere, "at", false))
	}
}
