package conformance

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

type attributes = map[string]types.AttributeValue

// items calls one table, with strong reads.
type items struct {
	client *dynamodb.Client
	table  string
}

func (i items) put(item attributes, change ...func(*dynamodb.PutItemInput)) (*dynamodb.PutItemOutput, error) {
	input := &dynamodb.PutItemInput{TableName: aws.String(i.table), Item: item}
	for _, f := range change {
		f(input)
	}
	return i.client.PutItem(ctx, input)
}

func (i items) get(key attributes, change ...func(*dynamodb.GetItemInput)) (*dynamodb.GetItemOutput, error) {
	input := &dynamodb.GetItemInput{TableName: aws.String(i.table), Key: key, ConsistentRead: aws.Bool(true)}
	for _, f := range change {
		f(input)
	}
	return i.client.GetItem(ctx, input)
}

func (i items) delete(key attributes, change ...func(*dynamodb.DeleteItemInput)) (*dynamodb.DeleteItemOutput, error) {
	input := &dynamodb.DeleteItemInput{TableName: aws.String(i.table), Key: key}
	for _, f := range change {
		f(input)
	}
	return i.client.DeleteItem(ctx, input)
}

// errorsOfEach runs put, get and delete with the same attributes.
func (i items) errorsOfEach(key attributes) []error {
	_, put := i.put(key)
	_, get := i.get(key)
	_, del := i.delete(key)
	return []error{put, get, del}
}

func putOld(i *dynamodb.PutItemInput)       { i.ReturnValues = types.ReturnValueAllOld }
func deleteOld(i *dynamodb.DeleteItemInput) { i.ReturnValues = types.ReturnValueAllOld }
func putIndexes(i *dynamodb.PutItemInput) {
	i.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
}
func putTotal(i *dynamodb.PutItemInput) { i.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal }
func getIndexes(i *dynamodb.GetItemInput) {
	i.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
}
func getTotal(i *dynamodb.GetItemInput)    { i.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal }
func getEventual(i *dynamodb.GetItemInput) { i.ConsistentRead = nil }
func deleteIndexes(i *dynamodb.DeleteItemInput) {
	i.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
}
func capacity(units float64) *types.Capacity {
	return &types.Capacity{CapacityUnits: aws.Float64(units)}
}
func only(n string, u float64) map[string]types.Capacity {
	return map[string]types.Capacity{n: *capacity(u)}
}

func TestItemLife(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(true))}
	key := item("a", "sk", number("1"))
	first := item("a", "sk", number("1"), "colour", text("red"))
	second := item("a", "sk", number("1"), "shade", text("dark"))

	equal(t, "nothing before", must(table.put(first, putOld))(t).Attributes, attributes(nil))
	equal(t, "first", must(table.get(key))(t).Item, first)
	equal(t, "replaced", must(table.put(second, putOld))(t).Attributes, first)
	equal(t, "second", must(table.get(key, getEventual))(t).Item, second)
	equal(t, "another key", must(table.get(item("a", "sk", number("2"))))(t).Item, attributes(nil))
	equal(t, "deleted", must(table.delete(key, deleteOld))(t).Attributes, second)
	equal(t, "gone", must(table.get(key))(t).Item, attributes(nil))
	equal(t, "deleted again", must(table.delete(key, deleteOld))(t).Attributes, attributes(nil))
}

func TestConsumedCapacity(t *testing.T) {
	client := newClient(t)
	input := onDemand(true)
	for _, name := range []string{"due", "owner"} {
		input.AttributeDefinitions = append(input.AttributeDefinitions, attribute(name, types.ScalarAttributeTypeS))
	}
	input.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{
		IndexName:  aws.String("by-due"),
		KeySchema:  []types.KeySchemaElement{hashKey("pk"), rangeKey("due")},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	input.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName:  aws.String("by-owner"),
		KeySchema:  []types.KeySchemaElement{hashKey("owner")},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
	}}
	table := items{client, newTable(t, client, input)}
	name := aws.String(table.table)
	key := item("p", "sk", number("1"))
	full := item("p", "sk", number("1"), "due", text("now"), "owner", text("me"), "text", text(repeat("x", 2500)))

	plain := must(table.put(key, putIndexes))(t).ConsumedCapacity
	equal(t, "no index touched", plain, &types.ConsumedCapacity{
		TableName: name, CapacityUnits: aws.Float64(1), Table: capacity(1),
	})
	indexed := must(table.put(full, putIndexes))(t).ConsumedCapacity
	equal(t, "both indexes written", indexed, &types.ConsumedCapacity{
		TableName: name, CapacityUnits: aws.Float64(7), Table: capacity(3),
		LocalSecondaryIndexes: only("by-due", 3), GlobalSecondaryIndexes: only("by-owner", 1),
	})
	again := must(table.put(full, putTotal))(t).ConsumedCapacity
	equal(t, "nothing changed", again, &types.ConsumedCapacity{TableName: name, CapacityUnits: aws.Float64(3)})

	strong := must(table.get(key, getIndexes))(t).ConsumedCapacity
	equal(t, "strong read", strong, &types.ConsumedCapacity{
		TableName: name, CapacityUnits: aws.Float64(1), Table: capacity(1),
	})
	eventual := must(table.get(key, getTotal, getEventual))(t).ConsumedCapacity
	equal(t, "eventual read", eventual, &types.ConsumedCapacity{TableName: name, CapacityUnits: aws.Float64(0.5)})
	equal(t, "not asked for", must(table.get(key))(t).ConsumedCapacity == nil, true)

	removed := must(table.delete(key, deleteIndexes))(t).ConsumedCapacity
	equal(t, "removed everywhere", removed, &types.ConsumedCapacity{
		TableName: name, CapacityUnits: aws.Float64(7), Table: capacity(3),
		LocalSecondaryIndexes: only("by-due", 3), GlobalSecondaryIndexes: only("by-owner", 1),
	})
	missing := must(table.delete(key, deleteIndexes))(t).ConsumedCapacity
	equal(t, "nothing to remove", missing, &types.ConsumedCapacity{
		TableName: name, CapacityUnits: aws.Float64(1), Table: capacity(1),
	})
}

func TestTableARNs(t *testing.T) {
	client := newClient(t)
	byName := items{client, newTable(t, client, onDemand(false))}
	byARN := items{client, *describe(t, client, byName.table).TableArn}
	equal(t, "described", *describe(t, client, byARN.table).TableName, byName.table)
	written := must(byARN.put(item("x"), putTotal))(t).ConsumedCapacity
	equal(t, "capacity names the ARN", *written.TableName, byARN.table)
	equal(t, "read by name", must(byName.get(item("x")))(t).Item, item("x"))
	equal(t, "read by ARN", must(byARN.get(item("x")))(t).Item, item("x"))
	equal(t, "deleted", must(byARN.delete(item("x"), deleteOld))(t).Attributes, item("x"))
}

func TestItemSizeLimit(t *testing.T) {
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(false))}
	sized := func(bytes int) attributes {
		return item("big", "data", text(repeat("x", bytes-len("pk")-len("big")-len("data"))))
	}
	largest := sized(409600)
	equal(t, "write units", *must(table.put(largest, putTotal))(t).ConsumedCapacity.CapacityUnits, 400.0)
	read := must(table.get(item("big"), getTotal))(t)
	equal(t, "read units", *read.ConsumedCapacity.CapacityUnits, 100.0)
	equal(t, "the item", read.Item, largest)
	_, err := table.put(sized(409601))
	refused(t, err, "ValidationException", "Item size has exceeded the maximum allowed size")
}

func TestKeySizes(t *testing.T) {
	client := newClient(t)
	input := onDemand(true)
	input.AttributeDefinitions[1].AttributeType = types.ScalarAttributeTypeS
	table := items{client, newTable(t, client, input)}
	var keys []attributes
	for _, n := range []int{1, 2, 200, 254, 255, 256, 257, 480, 510, 511, 512, 1000, 1023, 1024} {
		keys = append(keys,
			item(repeat("k", 2*n), "sk", text(repeat("s", n))),
			item(repeat("k", 2*n-1)+"l", "sk", text(repeat("s", n))),
			item(repeat("k", 2*n), "sk", text(repeat("s", n-1)+"t")))
	}
	for i, key := range keys {
		must(table.put(item(key["pk"].(*types.AttributeValueMemberS).Value, "sk", key["sk"], "i", number(fmt.Sprint(i)))))(t)
	}
	for i, key := range keys {
		equal(t, "stored under its own key", must(table.get(key))(t).Item["i"], number(fmt.Sprint(i)))
	}
	for _, err := range table.errorsOfEach(item(repeat("k", 2049), "sk", text("s"))) {
		refused(t, err, "ValidationException", invalid+"Size of hashkey has exceeded the maximum size limit of2048 bytes")
	}
	for _, err := range table.errorsOfEach(item("k", "sk", text(repeat("s", 1025)))) {
		refused(t, err, "ValidationException", invalid+
			"Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
	}
}

func TestBadKeys(t *testing.T) {
	client := newClient(t)
	input := onDemand(true)
	input.AttributeDefinitions[1].AttributeType = types.ScalarAttributeTypeB
	table := items{client, newTable(t, client, input)}
	_, err := table.put(item("a"))
	refused(t, err, "ValidationException", invalid+"Missing the key sk in the item")
	_, err = table.put(item("a", "sk", text("s")))
	refused(t, err, "ValidationException", invalid+"Type mismatch for key sk expected: B actual: S")
	_, err = table.get(item("a"))
	refused(t, err, "ValidationException", "The provided key element does not match the schema")
	_, err = table.delete(item("a", "sk", binary([]byte{1}), "x", text("y")))
	refused(t, err, "ValidationException", "The provided key element does not match the schema")
	for _, err := range table.errorsOfEach(item("", "sk", binary([]byte{1}))) {
		refused(t, err, "ValidationException", notValid+
			"The AttributeValue for a key attribute cannot contain an empty string value. Key: pk")
	}
	for _, err := range table.errorsOfEach(item("a", "sk", binary([]byte{}))) {
		refused(t, err, "ValidationException", notValid+
			"The AttributeValue for a key attribute cannot contain an empty binary value. Key: sk")
	}
}

func TestTypedErrors(t *testing.T) {
	client := newClient(t)
	for _, err := range (items{client, uniqueName()}).errorsOfEach(item("a")) {
		var notFound *types.ResourceNotFoundException
		if !errors.As(err, &notFound) {
			t.Fatalf("got %v, want a ResourceNotFoundException", err)
		}
		equal(t, "fault", notFound.ErrorFault(), smithy.FaultClient)
		refused(t, err, "ResourceNotFoundException", "Requested resource not found")
	}
	_, err := items{client, newTable(t, client, onDemand(false))}.put(item("a"), func(i *dynamodb.PutItemInput) {
		i.ReturnValues = types.ReturnValueAllNew
	})
	refused(t, err, "ValidationException", oneError+"ReturnValues can only be ALL_OLD or NONE")
}

func TestManyAtOnce(t *testing.T) {
	const count, inFlight = 2000, 64
	client := newClient(t)
	table := items{client, newTable(t, client, onDemand(true))}
	pk := func(i int) string { return fmt.Sprintf("partition %d", i%50) }
	sk := func(i int) types.AttributeValue { return number(fmt.Sprint(i)) }
	whole := func(i int) attributes { return item(pk(i), "sk", sk(i), "text", text(fmt.Sprintf("item %d", i))) }
	parallel := func(task func(i int)) {
		var group sync.WaitGroup
		for worker := 0; worker < inFlight; worker++ {
			group.Add(1)
			go func(first int) {
				defer group.Done()
				for i := first; i < count; i += inFlight {
					task(i)
				}
			}(worker)
		}
		group.Wait()
	}
	parallel(func(i int) {
		if _, err := table.put(whole(i)); err != nil {
			t.Error(err)
		}
	})
	parallel(func(i int) {
		read, err := table.get(item(pk(i), "sk", sk(i)))
		if err != nil {
			t.Error(err)
			return
		}
		equal(t, "item", read.Item, whole(i))
	})
	equal(t, "items counted", *describe(t, client, table.table).ItemCount, int64(count))
}
