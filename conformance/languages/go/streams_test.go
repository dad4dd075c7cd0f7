package conformance

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"stator/conformance/sdk"
)

// advance moves the engine's time ahead; servers without Stator's admin path skip the test.
func advance(t *testing.T, amount string) {
	t.Helper()
	client := &http.Client{Transport: sdk.Transport}
	answer, err := client.Post(strings.TrimRight(sdk.Endpoint, "/")+"/_stator/clock", "application/json",
		strings.NewReader(fmt.Sprintf(`{"advance":%q}`, amount)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		t.Skipf("moves the clock, which this server does not let us: %s %s", answer.Status, text)
	}
}

// streamReader follows the lineage of a stream's shards, parents before children.
type streamReader struct {
	t       *testing.T
	client  *dynamodbstreams.Client
	arn     *string
	shards  map[string]*shardPosition
	order   []string
	expired int
}

type shardPosition struct {
	from            streams.ShardIteratorType
	after, iterator *string
	ended           bool
}

func newStreamReader(t *testing.T, arn string, from streams.ShardIteratorType) *streamReader {
	t.Helper()
	options := sdk.NewClient(nil).Options()
	reader := &streamReader{t: t, arn: aws.String(arn), shards: map[string]*shardPosition{}}
	reader.client = dynamodbstreams.New(dynamodbstreams.Options{
		Region: options.Region, BaseEndpoint: options.BaseEndpoint, HTTPClient: options.HTTPClient,
		Credentials: options.Credentials, Retryer: options.Retryer,
	})
	if from == streams.ShardIteratorTypeLatest {
		for _, shard := range reader.list() {
			position := &shardPosition{from: from, ended: shard.SequenceNumberRange.EndingSequenceNumber != nil}
			reader.begin(*shard.ShardId, position)
			if !position.ended { // LATEST is now, not when the first records are asked for
				reader.open(*shard.ShardId, position)
			}
		}
	}
	reader.discover()
	return reader
}

// list asks for one shard a page, so that paging is used.
func (r *streamReader) list() (all []streams.Shard) {
	input := &dynamodbstreams.DescribeStreamInput{StreamArn: r.arn, Limit: aws.Int32(1)}
	for {
		answer := must(r.client.DescribeStream(ctx, input))(r.t)
		all = append(all, answer.StreamDescription.Shards...)
		input.ExclusiveStartShardId = answer.StreamDescription.LastEvaluatedShardId
		if input.ExclusiveStartShardId == nil {
			return all
		}
	}
}

func (r *streamReader) begin(id string, position *shardPosition) {
	r.shards[id] = position
	r.order = append(r.order, id)
}

// discover takes up shards whose parents are finished, or are not there any more.
func (r *streamReader) discover() {
	listed := r.list()
	isListed := map[string]bool{}
	for _, shard := range listed {
		isListed[*shard.ShardId] = true
	}
	for _, shard := range listed {
		parent := aws.ToString(shard.ParentShardId)
		isReady := !isListed[parent] || (r.shards[parent] != nil && r.shards[parent].ended)
		if r.shards[*shard.ShardId] == nil && isReady {
			r.begin(*shard.ShardId, &shardPosition{from: streams.ShardIteratorTypeTrimHorizon})
		}
	}
}

func (r *streamReader) open(id string, position *shardPosition) {
	input := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: r.arn, ShardId: aws.String(id), ShardIteratorType: position.from}
	if position.after != nil {
		input.ShardIteratorType, input.SequenceNumber = streams.ShardIteratorTypeAfterSequenceNumber, position.after
	}
	position.iterator = must(r.client.GetShardIterator(ctx, input))(r.t).ShardIterator
}

// page reads on in a shard, with a new iterator when the old one has expired.
func (r *streamReader) page(id string, position *shardPosition) []streams.Record {
	if position.iterator == nil {
		r.open(id, position)
	}
	answer, err := r.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: position.iterator})
	var expired *streams.ExpiredIteratorException
	if errors.As(err, &expired) {
		r.expired++
		r.open(id, position)
		answer, err = r.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: position.iterator})
	}
	must(answer, err)(r.t)
	for _, record := range answer.Records {
		position.after = record.Dynamodb.SequenceNumber
	}
	position.iterator, position.ended = answer.NextShardIterator, answer.NextShardIterator == nil
	return answer.Records
}

// read returns all there is until open shards have nothing more to say: the values of n in their order.
func (r *streamReader) read() (values []int) {
	for isMore := true; isMore; {
		isMore = false
		for _, id := range append([]string(nil), r.order...) {
			position := r.shards[id]
			if position.ended {
				continue
			}
			records := r.page(id, position)
			isMore = isMore || len(records) > 0 || position.ended
			for _, record := range records {
				image := record.Dynamodb.NewImage["n"].(*streams.AttributeValueMemberN)
				value := must(strconv.Atoi(image.Value))(r.t)
				values = append(values, value)
			}
		}
		r.discover()
	}
	return values
}

func upTo(first, last int) (values []int) {
	for i := first; i <= last; i++ {
		values = append(values, i)
	}
	return values
}

func TestReadersFollowAStreamOverRollOvers(t *testing.T) {
	client := newClient(t)
	input := onDemand(false)
	input.StreamSpecification = &types.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage}
	table := items{client, newTable(t, client, input)}
	described := must(client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table.table)}))(t)
	arn := *described.Table.LatestStreamArn

	written := 0
	write := func() {
		for i := 0; i < 5; i++ {
			written++
			must(table.put(item("a", "n", number(strconv.Itoa(written)))))(t)
		}
	}
	write()
	oldest := newStreamReader(t, arn, streams.ShardIteratorTypeTrimHorizon)
	latest := newStreamReader(t, arn, streams.ShardIteratorTypeLatest)
	write()
	equal(t, "from the oldest", oldest.read(), upTo(1, 10))
	equal(t, "from the latest", latest.read(), upTo(6, 10))
	for generation := 2; generation <= 3; generation++ {
		write()
		advance(t, "4h")
		write()
		equal(t, "from the oldest on", oldest.read(), upTo(written-9, written))
		equal(t, "from the latest on", latest.read(), upTo(written-9, written))
		equal(t, "shards", len(oldest.order), generation)
		equal(t, "expired iterators", oldest.expired, generation-1)
	}
	equal(t, "all again", newStreamReader(t, arn, streams.ShardIteratorTypeTrimHorizon).read(), upTo(1, written))
}
