// An application that makes its client when it is loaded, and knows nothing of tests.
const { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } = require('@aws-sdk/client-dynamodb');

const client = new DynamoDBClient({});

exports.createTable = () => client.send(new CreateTableCommand({
  TableName: 'Orders', BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'Id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
}));
exports.place = (id) => client.send(new PutItemCommand({ TableName: 'Orders', Item: { Id: { S: id } } }));
exports.count = async () => (await client.send(new ScanCommand({ TableName: 'Orders' }))).Count;
