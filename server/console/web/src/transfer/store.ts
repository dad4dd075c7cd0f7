// Writes the records of a file with BatchWriteItem. A record that the service refuses is reported with its line and reason.

import { patiently } from '../bulk/job';
import { keyOf, type Table } from '../wire/tables';
import { call, Refusal, type Body, type Item, type Scope } from '../wire/wire';
import type { Record } from './read';

const BATCH = 25;
const IN_PARALLEL = 4;
const UNPROCESSED_TRIES = 10;
export const REPORTED_MAX = 1000;
/** Lines for the file of refused records. */
export const REJECTS_MAX = 100_000;
/** Keys that are compared to find those that come twice. */
export const COMPARED_MAX = 200_000;

export interface Outcome {
  read: number;
  written: number;
  /** Records whose key an earlier one has; the last one wins. */
  repeated: number;
  refusedCount: number;
  /** The first of them. */
  refused: { line: number; problem: string }[];
  /** Their lines as the file has them. */
  rejects: string[];
  isStopped: boolean;
}

/** A record with its key as text, so that records of one key are written in their order. */
interface Waiting {
  record: Record;
  item: Item;
}

export async function writeRecords(
  scope: Scope,
  table: Table,
  records: AsyncGenerator<Record>,
  options: { isDry: boolean; isStopped: () => boolean; report: (outcome: Outcome) => void },
): Promise<Outcome> {
  const outcome: Outcome = { read: 0, written: 0, repeated: 0, refusedCount: 0, refused: [], rejects: [], isStopped: false };
  const seen = new Set<string>();
  let group = new Map<string, Waiting>();

  function refuse(record: Record, problem: string) {
    outcome.refusedCount++;
    if (outcome.refused.length < REPORTED_MAX) outcome.refused.push({ line: record.line, problem });
    if (outcome.rejects.length < REJECTS_MAX) outcome.rejects.push(record.raw);
  }

  async function one({ record, item }: Waiting) {
    try {
      await patiently(() => call(scope, 'PutItem', { TableName: table.name, Item: item }, { isDry: options.isDry }));
      outcome.written++;
    } catch (reason) {
      if (!(reason instanceof Refusal)) throw reason;
      refuse(record, `${reason.type}: ${reason.message}`);
    }
  }

  async function batch(waiting: Waiting[]) {
    let wanted: Body = { [table.name]: waiting.map(({ item }) => ({ PutRequest: { Item: item } })) };
    try {
      for (let turn = 0; turn < UNPROCESSED_TRIES; turn++) {
        const before = wanted[table.name].length;
        const { body } = await patiently(() => call(scope, 'BatchWriteItem', { RequestItems: wanted }, { isDry: options.isDry }));
        wanted = body.UnprocessedItems ?? {};
        outcome.written += before - (wanted[table.name]?.length ?? 0);
        if (!wanted[table.name]?.length) return;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(turn, 6)));
      }
    } catch (reason) {
      // A batch is refused whole; each item by itself says which one it is.
      if (!(reason instanceof Refusal)) throw reason;
      for (const each of waiting) await one(each);
      return;
    }
    const left = new Set(wanted[table.name].map((each: Body) => JSON.stringify(keyOf(table, each.PutRequest.Item))));
    for (const each of waiting.filter(({ item }) => left.has(JSON.stringify(keyOf(table, item))))) refuse(each.record, 'the server did not process it');
  }

  async function flush() {
    const all = [...group.values()];
    group = new Map();
    const batches = Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));
    await Promise.all(batches.map(batch));
    options.report(outcome);
  }

  for await (const record of records) {
    if (options.isStopped()) {
      outcome.isStopped = true;
      break;
    }
    outcome.read++;
    if (record.problem || !record.item) {
      refuse(record, record.problem ?? 'it is no item');
      continue;
    }
    const key = JSON.stringify(keyOf(table, record.item));
    if (seen.has(key)) outcome.repeated++;
    else if (seen.size < COMPARED_MAX) seen.add(key);
    if (group.has(key) || group.size === BATCH * IN_PARALLEL) await flush();
    group.set(key, { record, item: record.item });
  }
  await flush();
  outcome.refused.sort((left, right) => left.line - right.line);
  return outcome;
}
