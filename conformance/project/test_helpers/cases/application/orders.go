// Package albums has an application that makes its client when it is first called, and knows nothing of tests.
package albums

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Place puts the first order into a new table and returns how many there are.
func Place(ctx context.Context) (int32, error) {
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return 0, err
	}
	client := dynamodb.NewFromConfig(settings)
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("Orders"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("Id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("Id"), KeyType: "HASH"}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	if err != nil {
		return 0, err
	}
	item := map[string]types.AttributeValue{"Id": &types.AttributeValueMemberS{Value: "one"}}
	if _, err = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Orders"), Item: item}); err != nil {
		return 0, err
	}
	found, err := client.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("Orders")})
	if err != nil {
		return 0, err
	}
	return found.Count, nil
}
