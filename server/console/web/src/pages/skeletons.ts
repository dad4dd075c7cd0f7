// Bodies to begin with: the members that an operation needs, for a table whose key is pk.

import type { Body } from '../wire/wire';

const TableName = 'Orders';
const Key = { pk: { S: 'a' } };
const Item = { ...Key, total: { N: '1' } };
const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
const raise = {
  UpdateExpression: 'ADD total :one',
  ExpressionAttributeValues: { ':one': { N: '1' } },
};
const Statement = 'SELECT * FROM "Orders" WHERE pk = ?';
const Parameters = [{ S: 'a' }];
const key = { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] };

const BODIES: Record<string, Body> = {
  BatchExecuteStatement: { Statements: [{ Statement, Parameters }] },
  BatchGetItem: { RequestItems: { [TableName]: { Keys: [Key] } } },
  BatchWriteItem: { RequestItems: { [TableName]: [{ PutRequest: { Item } }, { DeleteRequest: { Key: { pk: { S: 'b' } } } }] } },
  CreateTable: { TableName, ...key, BillingMode: 'PAY_PER_REQUEST' },
  DeleteItem: { TableName, Key, ReturnValues: 'ALL_OLD' },
  ExecuteStatement: { Statement, Parameters },
  ExecuteTransaction: { TransactStatements: [{ Statement, Parameters }] },
  PutItem: { TableName, Item, ...isNew },
  Query: { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } },
  GetItem: { TableName, Key, ConsistentRead: true },
  TransactGetItems: { TransactItems: [{ Get: { TableName, Key } }] },
  TransactWriteItems: {
    TransactItems: [
      { Put: { TableName, Item, ...isNew } },
      { Update: { TableName, Key: { pk: { S: 'b' } }, ...raise } },
      { ConditionCheck: { TableName, Key: { pk: { S: 'c' } }, ConditionExpression: 'attribute_exists(pk)' } },
      { Delete: { TableName, Key: { pk: { S: 'd' } } } },
    ],
  },
  UpdateItem: { TableName, Key, ...raise, ReturnValues: 'ALL_NEW' },
  UpdateTimeToLive: { TableName, TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } },
};
/** Operations whose body may be empty. */
const EMPTY = ['DescribeEndpoints', 'DescribeLimits', 'ListBackups', 'ListExports', 'ListGlobalTables', 'ListImports', 'ListStreams', 'ListTables'];

export function skeletonOf(operation: string): string {
  return JSON.stringify(BODIES[operation] ?? (EMPTY.includes(operation) ? {} : { TableName }), null, 2);
}
