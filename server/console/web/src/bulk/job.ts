// The same write for many items: their keys, the requests, and a report that counts each of them once.

import type { Read } from '../grid/rows.svelte';
import { keyOf, type Table } from '../wire/tables';
import { call, Refusal, type Body, type Item, type Scope } from '../wire/wire';

/** Larger jobs are for a program. */
export const ITEMS_MAX = 200_000;
/** Items of a dry run. */
export const DRY_MAX = 1000;
const IN_PARALLEL = 6; // connections of a browser to one server
const TRIES = 6;
const REPORTED_MAX = 1000;
const SAMPLES = 20;

export interface Refused {
  key: Item;
  type: string;
  message: string;
}

export interface Outcome {
  total: number;
  /** Written, or in a dry run: would be. */
  done: number;
  refusedCount: number;
  /** The first of them. */
  refused: Refused[];
  units: number;
  oldBytes: number;
  newBytes: number;
  /** Of a dry run: the first items before and after. */
  samples: { key: Item; was?: Item; is?: Item }[];
  /** Keys of what was written. */
  doneKeys: Item[];
  /** Ended before all items had their turn, by the user or by the bound of refusals. */
  isStopped: boolean;
}

export interface Write {
  operation: 'UpdateItem' | 'DeleteItem';
  body: Body;
}

/** The condition that an item still is what the read found: it is there, and has the key and the filter of the read. */
export function conditionOf(table: Table, read?: Read): Body {
  const parts = ['attribute_exists(#exists)'];
  for (const each of [read?.body.KeyConditionExpression, read?.body.FilterExpression]) if (each) parts.push(`(${each})`);
  return {
    ConditionExpression: parts.join(' AND '),
    ExpressionAttributeNames: { ...read?.body.ExpressionAttributeNames, '#exists': table.paths[0].key[0].name },
    ExpressionAttributeValues: { ...read?.body.ExpressionAttributeValues },
  };
}

/** Two sets of members of a request as one; a placeholder of both is refused. */
export function joined(update: Body, condition: Body): Body {
  const body: Body = { ...condition, ...update };
  for (const member of ['ExpressionAttributeNames', 'ExpressionAttributeValues']) {
    const twice = Object.keys(update[member] ?? {}).find((each) => each in (condition[member] ?? {}));
    if (twice) throw new Error(`The page uses ${twice} itself; give it another name.`);
    body[member] = { ...condition[member], ...update[member] };
    if (!Object.keys(body[member]).length) delete body[member];
  }
  return body;
}

/** Keys of all items that the read finds, in its order. Throws for more than ITEMS_MAX. */
export async function keysOf(
  scope: Scope,
  table: Table,
  read: Read,
  options: { signal: AbortSignal; max?: number; report: (found: number) => void },
): Promise<{ keys: Item[]; isAll: boolean }> {
  const names = Object.fromEntries(table.paths[0].key.map(({ name }, at) => [`#key${at}`, name]));
  const keys: Item[] = [];
  let start: Item | undefined;
  do {
    const { body } = await call(
      scope,
      read.operation,
      {
        ...read.body,
        ProjectionExpression: Object.keys(names).join(', '),
        ExpressionAttributeNames: { ...read.body.ExpressionAttributeNames, ...names },
        ...(start ? { ExclusiveStartKey: start } : {}),
      },
      { signal: options.signal },
    );
    for (const each of body.Items as Item[]) keys.push(each);
    start = body.LastEvaluatedKey;
    options.report(keys.length);
    if (options.max && keys.length > options.max) return { keys: keys.slice(0, options.max), isAll: false };
    if (keys.length > ITEMS_MAX) {
      throw new Error(`More than ${ITEMS_MAX.toLocaleString('en-US')} items match. Narrow the read, or use a program.`);
    }
  } while (start);
  return { keys, isAll: true };
}

function isTransient(reason: unknown): boolean {
  if (!(reason instanceof Refusal)) return false;
  return reason.status >= 500 || /Throttl|ProvisionedThroughputExceeded|TransactionInProgress|TransactionConflict/.test(reason.type);
}

/** Repeats what a server refuses only for now. */
export async function patiently<T>(send: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn++) {
    try {
      return await send();
    } catch (reason) {
      if (turn === TRIES || !isTransient(reason)) throw reason;
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** turn));
    }
  }
}

/**
 * Sends the write for each key. `isStopped` ends it before the next request; those in flight are awaited, so
 * the outcome is exact. Throws only if the server cannot be reached.
 */
export async function writeAll(
  scope: Scope,
  table: Table,
  keys: Item[],
  write: Write,
  options: { isDry: boolean; refusalsMax: number; isStopped: () => boolean; report: (outcome: Outcome) => void },
): Promise<Outcome> {
  const outcome: Outcome = {
    total: keys.length, done: 0, refusedCount: 0, refused: [], units: 0, oldBytes: 0, newBytes: 0, samples: [], doneKeys: [], isStopped: false,
  };
  let next = 0;
  let failure: unknown;

  async function one(key: Item, isSample: boolean) {
    const target = { TableName: table.name, Key: key };
    const sample = isSample ? await sampleOf(target) : undefined;
    const returned = sample && write.operation === 'UpdateItem' ? { ReturnValues: 'ALL_NEW' } : {};
    const body = { ...write.body, ...target, ...returned, ReturnConsumedCapacity: 'TOTAL' };
    const answer = await patiently(() => call(scope, write.operation, body, { isDry: options.isDry }));
    outcome.done++;
    outcome.units += answer.body.ConsumedCapacity?.CapacityUnits ?? 0;
    for (const each of answer.explanation?.would?.items ?? []) {
      outcome.oldBytes += each.old_bytes;
      outcome.newBytes += each.new_bytes;
    }
    if (options.isDry) {
      if (sample) outcome.samples.push({ key, ...sample, is: answer.body.Attributes });
    } else outcome.doneKeys.push(key);
  }

  async function sampleOf(target: Body): Promise<{ was?: Item }> {
    const { body } = await call(scope, 'GetItem', { ...target, ConsistentRead: true });
    return { was: body.Item };
  }

  async function worker() {
    while (next < keys.length && !failure) {
      if (options.isStopped() || outcome.refusedCount >= options.refusalsMax) {
        outcome.isStopped = true;
        return;
      }
      const at = next++;
      try {
        await one(keyOf(table, keys[at]), options.isDry && at < SAMPLES);
      } catch (reason) {
        if (!(reason instanceof Refusal)) failure = reason;
        else {
          outcome.refusedCount++;
          if (outcome.refused.length < REPORTED_MAX) {
            outcome.refused.push({ key: keyOf(table, keys[at]), type: reason.type, message: reason.message });
          }
        }
      }
      options.report(outcome);
    }
  }

  await Promise.all(Array.from({ length: IN_PARALLEL }, worker));
  if (failure) throw failure;
  return outcome;
}
