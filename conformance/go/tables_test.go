package conformance

import (
	"errors"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func units(read, write int64) *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(read), WriteCapacityUnits: aws.Int64(write)}
}

func provisioned(read, write int64) *dynamodb.CreateTableInput {
	input := onDemand(false)
	input.BillingMode = ""
	input.ProvisionedThroughput = units(read, write)
	return input
}

func checkUnits(t *testing.T, got *types.ProvisionedThroughputDescription, read, write, decreases int64) {
	t.Helper()
	have := []int64{*got.ReadCapacityUnits, *got.WriteCapacityUnits, *got.NumberOfDecreasesToday}
	equal(t, "read units, write units, decreases", have, []int64{read, write, decreases})
}

func TestOnDemandTable(t *testing.T) {
	client := newClient(t)
	input := onDemand(true)
	created := must(client.CreateTable(ctx, input))(t).TableDescription
	equal(t, "status in the answer", created.TableStatus, types.TableStatusCreating)

	table := describe(t, client, *input.TableName)
	equal(t, "status", table.TableStatus, types.TableStatusActive)
	equal(t, "name", table.TableName, input.TableName)
	equal(t, "definitions", table.AttributeDefinitions, input.AttributeDefinitions)
	equal(t, "key schema", table.KeySchema, input.KeySchema)
	equal(t, "id", table.TableId, created.TableId)
	arn := regexp.MustCompile(`^arn:aws:dynamodb:us-east-1:\d{12}:table/` + *input.TableName + `$`)
	if !arn.MatchString(*table.TableArn) {
		t.Errorf("ARN %s", *table.TableArn)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(*table.TableId) {
		t.Errorf("id %s", *table.TableId)
	}
	equal(t, "creation time is a date", table.CreationDateTime != nil && table.CreationDateTime.Year() > 2020, true)
	equal(t, "billing mode", table.BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
	equal(t, "protection", table.DeletionProtectionEnabled, aws.Bool(false))
	equal(t, "items", table.ItemCount, aws.Int64(0))
	equal(t, "size", table.TableSizeBytes, aws.Int64(0))
	checkUnits(t, table.ProvisionedThroughput, 0, 0, 0)
	absent := table.TableClassSummary == nil && table.SSEDescription == nil && table.StreamSpecification == nil &&
		table.LatestStreamArn == nil && table.LocalSecondaryIndexes == nil && table.GlobalSecondaryIndexes == nil
	equal(t, "what was not asked for is absent", absent, true)
	must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: input.TableName}))(t)
}

func TestIndexes(t *testing.T) {
	client := newClient(t)
	input := provisioned(3, 4)
	input.KeySchema = []types.KeySchemaElement{hashKey("pk"), rangeKey("sk")}
	input.AttributeDefinitions = []types.AttributeDefinition{
		attribute("pk", types.ScalarAttributeTypeS), attribute("sk", types.ScalarAttributeTypeS),
		attribute("due", types.ScalarAttributeTypeN), attribute("owner", types.ScalarAttributeTypeB),
	}
	input.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{
		IndexName:  aws.String("by-due"),
		KeySchema:  []types.KeySchemaElement{hashKey("pk"), rangeKey("due")},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"title"}},
	}}
	input.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName:             aws.String("by-owner"),
		KeySchema:             []types.KeySchemaElement{hashKey("owner"), rangeKey("due")},
		Projection:            &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		ProvisionedThroughput: units(1, 2),
	}}
	table := describe(t, client, newTable(t, client, input))
	checkUnits(t, table.ProvisionedThroughput, 3, 4, 0)
	equal(t, "billing summary of a provisioned table", table.BillingModeSummary == nil, true)

	local := table.LocalSecondaryIndexes[0]
	equal(t, "local name", local.IndexName, input.LocalSecondaryIndexes[0].IndexName)
	equal(t, "local schema", local.KeySchema, input.LocalSecondaryIndexes[0].KeySchema)
	equal(t, "local projection", local.Projection, input.LocalSecondaryIndexes[0].Projection)
	equal(t, "local ARN", *local.IndexArn, *table.TableArn+"/index/by-due")

	global := table.GlobalSecondaryIndexes[0]
	equal(t, "global name", global.IndexName, input.GlobalSecondaryIndexes[0].IndexName)
	equal(t, "global schema", global.KeySchema, input.GlobalSecondaryIndexes[0].KeySchema)
	equal(t, "global projection", global.Projection.ProjectionType, types.ProjectionTypeKeysOnly)
	equal(t, "global ARN", *global.IndexArn, *table.TableArn+"/index/by-owner")
	equal(t, "global status", global.IndexStatus, types.IndexStatusActive)
	checkUnits(t, global.ProvisionedThroughput, 1, 2, 0)
}

func TestMultiKeyGlobalIndex(t *testing.T) {
	client := newClient(t)
	input := onDemand(false)
	var schema []types.KeySchemaElement
	for _, name := range []string{"h1", "h2", "h3", "h4", "r1", "r2", "r3", "r4"} {
		input.AttributeDefinitions = append(input.AttributeDefinitions, attribute(name, types.ScalarAttributeTypeS))
		if name[0] == 'h' {
			schema = append(schema, hashKey(name))
		} else {
			schema = append(schema, rangeKey(name))
		}
	}
	input.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName: aws.String("wide"), KeySchema: schema,
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	table := describe(t, client, newTable(t, client, input))
	equal(t, "schema", table.GlobalSecondaryIndexes[0].KeySchema, schema)
}

func TestTableOptions(t *testing.T) {
	client := newClient(t)
	input := onDemand(false)
	input.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
	}
	input.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms}
	input.TableClass = types.TableClassStandardInfrequentAccess
	input.DeletionProtectionEnabled = aws.Bool(true)
	input.Tags = []types.Tag{{Key: aws.String("team"), Value: aws.String("stone")}}
	created := must(client.CreateTable(ctx, input))(t).TableDescription

	table := describe(t, client, *input.TableName)
	equal(t, "stream", table.StreamSpecification, input.StreamSpecification)
	equal(t, "stream label", table.LatestStreamLabel, created.LatestStreamLabel)
	equal(t, "stream ARN", *table.LatestStreamArn, *table.TableArn+"/stream/"+*table.LatestStreamLabel)
	equal(t, "encryption", table.SSEDescription.Status, types.SSEStatusEnabled)
	equal(t, "kind of encryption", table.SSEDescription.SSEType, types.SSETypeKms)
	equal(t, "class", table.TableClassSummary.TableClass, input.TableClass)
	equal(t, "protection", table.DeletionProtectionEnabled, aws.Bool(true))
	listed := must(client.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: table.TableArn}))(t)
	equal(t, "tags", listed.Tags, input.Tags)

	drop := &dynamodb.DeleteTableInput{TableName: input.TableName}
	_, err := client.DeleteTable(ctx, drop)
	refused(t, err, "ValidationException",
		"Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	must(client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: input.TableName, DeletionProtectionEnabled: aws.Bool(false),
	}))(t)
	must(client.DeleteTable(ctx, drop))(t)
}

func TestWaitersAskOnce(t *testing.T) {
	counter := &countingClient{counts: map[string]int{}}
	client := newClient(t, func(o *dynamodb.Options) { o.HTTPClient = counter })
	input := onDemand(false)
	question := &dynamodb.DescribeTableInput{TableName: input.TableName}

	must(client.CreateTable(ctx, input))(t)
	if err := dynamodb.NewTableExistsWaiter(client).Wait(ctx, question, maxWait); err != nil {
		t.Fatal(err)
	}
	equal(t, "DescribeTable calls", counter.attempts("DescribeTable"), 1)

	must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: input.TableName}))(t)
	if err := dynamodb.NewTableNotExistsWaiter(client).Wait(ctx, question, maxWait); err != nil {
		t.Fatal(err)
	}
	equal(t, "DescribeTable calls", counter.attempts("DescribeTable"), 2)
}

func TestDeleteTableAndNameReuse(t *testing.T) {
	client := newClient(t)
	input := onDemand(false)
	drop := &dynamodb.DeleteTableInput{TableName: input.TableName}
	first := must(client.CreateTable(ctx, input))(t).TableDescription

	_, err := client.CreateTable(ctx, input)
	var inUse *types.ResourceInUseException
	equal(t, "the error is a ResourceInUseException", errors.As(err, &inUse), true)
	refused(t, err, "ResourceInUseException", "Table already exists: "+*input.TableName)

	deleted := must(client.DeleteTable(ctx, drop))(t).TableDescription
	equal(t, "status in the answer", deleted.TableStatus, types.TableStatusDeleting)
	_, err = client.DeleteTable(ctx, drop)
	refused(t, err, "ResourceNotFoundException", "Requested resource not found: Table: "+*input.TableName+" not found")

	second := must(client.CreateTable(ctx, input))(t).TableDescription
	equal(t, "ARN", second.TableArn, first.TableArn)
	equal(t, "the id is new", *second.TableId != *first.TableId, true)
	must(client.DeleteTable(ctx, drop))(t)
}

func TestListTablesPages(t *testing.T) {
	client := newClient(t)
	prefix := uniqueName()
	var names []string
	for _, letter := range []string{"-a", "-b", "-c", "-d", "-e"} {
		input := onDemand(false)
		input.TableName = aws.String(prefix + letter)
		names = append(names, newTable(t, client, input))
	}
	pages := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{
		ExclusiveStartTableName: aws.String(prefix), Limit: aws.Int32(2),
	})
	var seen []string
	for pages.HasMorePages() {
		page := must(pages.NextPage(ctx))(t)
		if len(page.TableNames) > 2 {
			t.Errorf("a page of %d names", len(page.TableNames))
		}
		if last := page.LastEvaluatedTableName; last != nil {
			equal(t, "last name", *last, page.TableNames[len(page.TableNames)-1])
		}
		for _, name := range page.TableNames {
			if strings.HasPrefix(name, prefix+"-") {
				seen = append(seen, name)
			}
		}
	}
	equal(t, "names", seen, names)
	_, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(101)})
	refused(t, err, "ValidationException", oneError+
		"Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100")
}

func TestUpdateTable(t *testing.T) {
	client := newClient(t)
	name := newTable(t, client, provisioned(5, 6))
	update := func(change func(*dynamodb.UpdateTableInput)) (*dynamodb.UpdateTableOutput, error) {
		input := &dynamodb.UpdateTableInput{TableName: aws.String(name)}
		change(input)
		return client.UpdateTable(ctx, input)
	}
	higher := func(i *dynamodb.UpdateTableInput) { i.ProvisionedThroughput = units(9, 7) }
	answer := must(update(higher))(t).TableDescription
	equal(t, "status in the answer", answer.TableStatus, types.TableStatusUpdating)
	checkUnits(t, answer.ProvisionedThroughput, 5, 6, 0)
	table := describe(t, client, name)
	equal(t, "status", table.TableStatus, types.TableStatusActive)
	checkUnits(t, table.ProvisionedThroughput, 9, 7, 0)
	equal(t, "an increase is dated", table.ProvisionedThroughput.LastIncreaseDateTime != nil, true)
	equal(t, "a decrease is not", table.ProvisionedThroughput.LastDecreaseDateTime == nil, true)

	_, err := update(higher)
	refused(t, err, "ValidationException", "The provisioned throughput for the table will not change. "+
		"The requested value equals the current value. "+
		"Current ReadCapacityUnits provisioned for the table: 9. Requested ReadCapacityUnits: 9. "+
		"Current WriteCapacityUnits provisioned for the table: 7. Requested WriteCapacityUnits: 7. "+
		"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.")

	must(update(func(i *dynamodb.UpdateTableInput) { i.BillingMode = types.BillingModePayPerRequest }))(t)
	equal(t, "mode", describe(t, client, name).BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
	_, err = update(higher)
	refused(t, err, "ValidationException", invalid+
		"Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")

	must(update(func(i *dynamodb.UpdateTableInput) { i.TableClass = types.TableClassStandardInfrequentAccess }))(t)
	class := describe(t, client, name).TableClassSummary.TableClass
	equal(t, "class", class, types.TableClassStandardInfrequentAccess)

	_, err = update(func(i *dynamodb.UpdateTableInput) {
		i.DeletionProtectionEnabled = aws.Bool(true)
		i.BillingMode = types.BillingModePayPerRequest
	})
	refused(t, err, "ValidationException", invalid+
		"DeletionProtection modification must be the only operation in the request")
	_, err = client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String("absent-" + name), BillingMode: types.BillingModePayPerRequest,
	})
	refused(t, err, "ResourceNotFoundException", "Requested resource not found: Table: absent-"+name+" not found")
}

func TestTags(t *testing.T) {
	client := newClient(t)
	arn := describe(t, client, newTable(t, client, onDemand(false))).TableArn
	tag := func(key, value string) types.Tag { return types.Tag{Key: aws.String(key), Value: aws.String(value)} }
	all := func() []string {
		var listed []string
		pages := &dynamodb.ListTagsOfResourceInput{ResourceArn: arn}
		for {
			page := must(client.ListTagsOfResource(ctx, pages))(t)
			for _, one := range page.Tags {
				listed = append(listed, *one.Key+"="+*one.Value)
			}
			if page.NextToken == nil {
				sort.Strings(listed)
				return listed
			}
			pages.NextToken = page.NextToken
		}
	}
	equal(t, "tags of a new table", len(all()), 0)
	must(client.TagResource(ctx, &dynamodb.TagResourceInput{
		ResourceArn: arn, Tags: []types.Tag{tag("a", "1"), tag("b", ""), tag("ключ", "значение")},
	}))(t)
	must(client.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{tag("a", "2")}}))(t)
	equal(t, "tags", all(), []string{"a=2", "b=", "ключ=значение"})
	must(client.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"a", "none"}}))(t)
	equal(t, "tags", all(), []string{"b=", "ключ=значение"})

	absent := aws.String(*arn + "-absent")
	_, err := client.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: absent})
	refused(t, err, "ResourceNotFoundException", "Requested resource not found: ResourceArn: "+*absent+" not found")
}

func TestLimitsAndEndpoints(t *testing.T) {
	client := newClient(t)
	limits := must(client.DescribeLimits(ctx, &dynamodb.DescribeLimitsInput{}))(t)
	got := []int64{
		*limits.AccountMaxReadCapacityUnits, *limits.AccountMaxWriteCapacityUnits,
		*limits.TableMaxReadCapacityUnits, *limits.TableMaxWriteCapacityUnits,
	}
	equal(t, "limits", got, []int64{80000, 80000, 40000, 40000})

	endpoints := must(client.DescribeEndpoints(ctx, &dynamodb.DescribeEndpointsInput{}))(t).Endpoints
	at, err := url.Parse(endpoint)
	if err != nil || len(endpoints) != 1 {
		t.Fatal(err, endpoints)
	}
	equal(t, "address", *endpoints[0].Address, at.Host)
	equal(t, "minutes", endpoints[0].CachePeriodInMinutes, int64(1440))
}
