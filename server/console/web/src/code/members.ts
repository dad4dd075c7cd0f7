// What the members of requests are in languages with types. Operations and members that are not here have
// no code in those languages.

export type Kind =
  | 'string'
  | 'int'
  | 'bool'
  | 'names' // placeholders to names
  | 'item' // names to attribute values
  | 'values' // a list of attribute values
  | { enumeration: string }
  | { actions: Record<string, string> }; // of a transaction: member to its class

export const MEMBERS: Record<string, Kind> = {
  TableName: 'string',
  IndexName: 'string',
  KeyConditionExpression: 'string',
  FilterExpression: 'string',
  ProjectionExpression: 'string',
  ConditionExpression: 'string',
  UpdateExpression: 'string',
  Statement: 'string',
  NextToken: 'string',
  Limit: 'int',
  Segment: 'int',
  TotalSegments: 'int',
  ScanIndexForward: 'bool',
  ConsistentRead: 'bool',
  ExpressionAttributeNames: 'names',
  ExpressionAttributeValues: 'item',
  Item: 'item',
  Key: 'item',
  ExclusiveStartKey: 'item',
  Parameters: 'values',
  ReturnConsumedCapacity: { enumeration: 'ReturnConsumedCapacity' },
  ReturnValues: { enumeration: 'ReturnValue' },
  ReturnValuesOnConditionCheckFailure: { enumeration: 'ReturnValuesOnConditionCheckFailure' },
  TransactItems: {
    actions: { Put: 'Put', Delete: 'Delete', Update: 'Update', ConditionCheck: 'ConditionCheck' },
  },
};

const OPERATIONS = new Set([
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
  'ExecuteStatement',
  'TransactWriteItems',
]);

/** Whether the languages with types can say this request. */
export function canWrite(operation: string, body: Record<string, unknown>): boolean {
  return OPERATIONS.has(operation) && Object.keys(body).every((name) => name in MEMBERS);
}
