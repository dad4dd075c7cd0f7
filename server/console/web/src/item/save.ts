// How changes of an item are written: only what changed, and only if it still is as it was read.

import { keyOf, type Table } from '../wire/tables';
import type { Body, Item } from '../wire/wire';
import { attribute, same } from '../wire/values';

export interface Write {
  operation: 'PutItem' | 'UpdateItem' | 'TransactWriteItems';
  body: Body;
}

/** Names of the attributes that differ. */
export function changedNames(was: Item, is: Item): string[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => !same(attribute(was, name), attribute(is, name)),
  );
}

/** The request that stores `is`; `was` is the item as it was read, undefined for a new one. */
export function writeOf(table: Table, was: Item | undefined, is: Item): Write {
  const partition = table.paths[0].key[0].name;
  const isNew = { ConditionExpression: 'attribute_not_exists(#pk)', ExpressionAttributeNames: { '#pk': partition } };
  if (!was) {
    return { operation: 'PutItem', body: { TableName: table.name, Item: is, ...isNew, ...RETURNED } };
  }
  const key = keyOf(table, was);
  if (!same(key, keyOf(table, is))) {
    const condition = conditionOf(Object.keys(was).filter((name) => !(name in key)), was, partition);
    return {
      operation: 'TransactWriteItems',
      body: {
        TransactItems: [
          { Delete: { TableName: table.name, Key: key, ...condition } },
          { Put: { TableName: table.name, Item: is, ...isNew } },
        ],
      },
    };
  }
  const changed = changedNames(was, is);
  const condition = conditionOf(changed, was, partition);
  const values: Item = condition.ExpressionAttributeValues ?? {};
  const sets: string[] = [];
  const removes: string[] = [];
  for (const [index, name] of changed.entries()) {
    const value = attribute(is, name);
    if (value === undefined) removes.push(`#a${index}`);
    else {
      values[`:n${index}`] = value;
      sets.push(`#a${index} = :n${index}`);
    }
  }
  return {
    operation: 'UpdateItem',
    body: {
      TableName: table.name,
      Key: key,
      UpdateExpression: [sets.length && `SET ${sets.join(', ')}`, removes.length && `REMOVE ${removes.join(', ')}`]
        .filter(Boolean)
        .join(' '),
      ...condition,
      ...(Object.keys(values).length ? { ExpressionAttributeValues: values } : {}),
      ...RETURNED,
    },
  };
}

const RETURNED = { ReturnConsumedCapacity: 'INDEXES', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };

function conditionOf(names: string[], was: Item, partition: string): Body {
  const placeholders: Record<string, string> = { '#pk': partition };
  const values: Item = {};
  const parts = ['attribute_exists(#pk)'];
  for (const [index, name] of names.entries()) {
    placeholders[`#a${index}`] = name;
    const value = attribute(was, name);
    if (value === undefined) parts.push(`attribute_not_exists(#a${index})`);
    else {
      values[`:w${index}`] = value;
      parts.push(`#a${index} = :w${index}`);
    }
  }
  return {
    ConditionExpression: parts.join(' AND '),
    ExpressionAttributeNames: placeholders,
    ...(Object.keys(values).length ? { ExpressionAttributeValues: values } : {}),
  };
}
