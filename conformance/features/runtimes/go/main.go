// The function for Go. What it does stands in the event's first new item.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

func handle(ctx context.Context, event events.DynamoDBEvent) (any, error) {
	switch event.Records[0].Change.NewImage["how"].String() {
	case "fail":
		return nil, errors.New("no")
	case "hang":
		time.Sleep(time.Minute)
	case "second":
		var response events.DynamoDBEventResponse
		for _, record := range event.Records[min(1, len(event.Records)):min(2, len(event.Records))] {
			response.BatchItemFailures = append(response.BatchItemFailures,
				events.DynamoDBBatchItemFailure{ItemIdentifier: record.Change.SequenceNumber})
		}
		return response, nil
	case "long":
		return strings.Repeat("x", 7_000_000), nil
	}
	called, _ := lambdacontext.FromContext(ctx)
	fmt.Println("handles", len(event.Records), called.AwsRequestID)
	return map[string]int{"count": len(event.Records)}, nil
}

func main() { lambda.Start(handle) }
