// What a table or an index used over time, as /_stator/capacity/TABLE/series gives it.

import type { Value } from '../wire/wire';

export interface Partition {
  first_hash: number;
  last_hash: number;
  /** How many partitions are in this row. */
  count: number;
  read: number[];
  write: number[];
  refused: number[];
  keys: { key: Value; is_cut?: boolean; units: number }[];
}

export interface Series {
  step: number;
  end: string;
  table: Record<'read' | 'write' | 'read_throttled' | 'write_throttled', number[]>;
  reasons: Record<string, number[]>;
  partitions: Partition[];
  partition_limits: Record<Side, number>;
}

export type Side = 'read' | 'write';

export const SPANS: Record<string, string> = { '60': '1 minute', '300': '5 minutes', '3600': '1 hour', '18000': '5 hours' };
export const DEFAULT_SPAN = '300';

export function sum(numbers: number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

/** The largest number of units a second in any step. */
export function busiest(units: number[], step: number): number {
  return units.reduce((most, each) => Math.max(most, each), 0) / step;
}

/** When a step begins. */
export function timeOf(series: Series, at: number): string {
  const steps = series.table.read.length;
  return new Date(Date.parse(series.end) - (steps - at) * series.step * 1000).toISOString();
}
