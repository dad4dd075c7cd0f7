// Calls of items through the document client of lib-dynamodb: their attribute values become native values, and
// what comes back becomes attribute values again. Numbers are NumberValue all the way, so none loses a digit.

import * as lib from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

// The document client's commands have names of their own.
const commands = {
  PutItem: lib.PutCommand,
  GetItem: lib.GetCommand,
  UpdateItem: lib.UpdateCommand,
  DeleteItem: lib.DeleteCommand,
  Query: lib.QueryCommand,
  Scan: lib.ScanCommand,
  BatchGetItem: lib.BatchGetCommand,
  BatchWriteItem: lib.BatchWriteCommand,
  TransactGetItems: lib.TransactGetCommand,
  TransactWriteItems: lib.TransactWriteCommand,
};

// Members that are maps of attribute values, or lists of such maps.
const items = new Set([
  'Attributes', 'ExclusiveStartKey', 'ExpressionAttributeValues', 'Item', 'ItemCollectionKey', 'Items', 'Key', 'Keys',
  'LastEvaluatedKey',
]);

function converted(value, convert) {
  if (Array.isArray(value)) return value.map((element) => converted(element, convert));
  if (value === null || typeof value !== 'object') return value;
  const member = ([name, v]) => {
    if (!items.has(name) || v === undefined) return [name, converted(v, convert)];
    return [name, Array.isArray(v) ? v.map(convert) : convert(v)];
  };
  return Object.fromEntries(Object.entries(value).map(member));
}

const back = (item) => marshall(item);

// The document client's answer as client-dynamodb would give it. What was found by BatchGetItem lies below the
// names of tables.
export function fromNative({ Responses, ...others }) {
  const answer = converted(others, back);
  if (Array.isArray(Responses)) answer.Responses = converted(Responses, back);
  else if (Responses) answer.Responses = Object.fromEntries(Object.entries(Responses).map(([t, l]) => [t, l.map(back)]));
  return answer;
}

// (call, input) => a promise of the answer in native values; undefined for what the document client has not.
export function documentCall(client) {
  const documents = lib.DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  return (call, input) => {
    const Command = commands[call];
    if (!Command) return undefined;
    return documents.send(new Command(converted(input, (item) => unmarshall(item, { wrapNumbers: true }))));
  };
}
