// The rows of a read that is too large to hold. A read is a sequence of spans: pages that are loaded, and
// stretches that are not, whose number of rows is an estimate. A Scan of a whole table begins as many
// segments, which together are the order of a Scan, so any position is one request away.

import { call, type Body, type Item, type Scope } from '../wire/wire';

interface Span {
  segment: number;
  start?: Item;
  /** Undefined while the span is not loaded. */
  items?: Item[];
  /** Rows that it takes: exact once it was loaded. */
  rows: number;
  isLoading: boolean;
}

export interface Read {
  operation: 'Query' | 'Scan';
  /** Without ExclusiveStartKey and segments. */
  body: Body;
  /** For a Scan without a filter: the items that the table is said to have, for segments. */
  expected?: { items: number; bytes: number };
}

const HELD_MAX = 20_000;
const SEGMENT_ITEMS = 500;
const SEGMENT_BYTES = 500_000;
const SEGMENTS_MAX = 10_000;
const PAGE_ITEMS = 300;
const UNKNOWN_ROWS = 40;
/** Pages in a row without an item, before the user is asked to go on. */
const EMPTY_MAX = 8;

export class Rows {
  spans = $state.raw<Span[]>([]);
  failure = $state<unknown>();
  readonly totals = $state({ examined: 0, returned: 0, bytes: 0, units: 0, requests: 0 });
  /** Hints of the server for the last page. */
  hints = $state.raw<string[]>([]);
  endedBy = $state('');
  /** Many pages came without an item; `goOn` reads more. */
  isPaused = $state(false);

  readonly total = $derived(this.spans.reduce((sum, each) => sum + each.rows, 0));
  readonly held = $derived(this.spans.reduce((sum, each) => sum + (each.items?.length ?? 0), 0));
  readonly isComplete = $derived(this.spans.every((each) => each.items));

  private readonly segments: number;
  private readonly stop = new AbortController();
  private emptyPages = 0;

  constructor(
    private readonly scope: Scope,
    readonly read: Read,
    private readonly asClient = false,
  ) {
    const { items, bytes } = read.expected ?? { items: 0, bytes: 0 };
    this.segments = Math.min(SEGMENTS_MAX, Math.max(1, Math.ceil(items / SEGMENT_ITEMS), Math.ceil(bytes / SEGMENT_BYTES)));
    const rows = this.segments > 1 ? Math.max(1, Math.round(items / this.segments)) : UNKNOWN_ROWS;
    this.spans = Array.from({ length: this.segments }, (_, segment) => ({ segment, rows, isLoading: false }));
  }

  close(): void {
    this.stop.abort();
  }

  at(row: number): Item | undefined {
    let first = 0;
    for (const span of this.spans) {
      if (row < first + span.rows) return span.items?.[row - first];
      first += span.rows;
    }
    return undefined;
  }

  /** All items that are held, in the order of the read. */
  items(): Item[] {
    return this.spans.flatMap((each) => each.items ?? []);
  }

  /**
   * Loads what is missing between two rows. Returns how many rows appeared (or, negative, vanished) above
   * `from`, so that the caller can stay where it is.
   */
  async need(from: number, to: number): Promise<number> {
    if (this.isPaused || this.failure) return 0;
    let first = 0;
    for (const span of this.spans) {
      const last = first + span.rows;
      if (!span.items && !span.isLoading && first < to && last > from) return this.load(span, first < from);
      first = last;
    }
    return 0;
  }

  goOn(): void {
    this.isPaused = false;
    this.emptyPages = 0;
  }

  private async load(span: Span, isAbove: boolean): Promise<number> {
    span.isLoading = true;
    try {
      const isUnfiltered = !this.read.body.FilterExpression;
      const answer = await call(
        this.scope,
        this.read.operation,
        {
          ...(isUnfiltered ? { Limit: PAGE_ITEMS + SEGMENT_ITEMS } : {}),
          ...this.read.body,
          ...(this.segments > 1 ? { Segment: span.segment, TotalSegments: this.segments } : {}),
          ...(span.start ? { ExclusiveStartKey: span.start } : {}),
          ReturnConsumedCapacity: 'TOTAL',
        },
        { signal: this.stop.signal, asClient: this.asClient },
      );
      this.hints = answer.explanation?.hints ?? [];
      this.endedBy = answer.explanation?.read?.ended_by ?? '';
      this.totals.bytes += answer.bytes;
      return this.enter(span, answer.body, isAbove);
    } catch (reason) {
      if ((reason as Error).name !== 'AbortError') this.failure = reason;
      return 0;
    } finally {
      span.isLoading = false;
    }
  }

  private enter(span: Span, body: Body, isAbove: boolean): number {
    const items = body.Items as Item[];
    const loaded = { ...span, items, rows: items.length, isLoading: false };
    const rest: Span[] = body.LastEvaluatedKey
      ? [
          {
            segment: span.segment,
            start: body.LastEvaluatedKey,
            rows: Math.max(span.rows - items.length, UNKNOWN_ROWS),
            isLoading: false,
          },
        ]
      : [];
    this.totals.requests++;
    this.totals.examined += body.ScannedCount ?? 0;
    this.totals.returned += body.Count ?? 0;
    this.totals.units += body.ConsumedCapacity?.CapacityUnits ?? 0;
    this.emptyPages = items.length || !rest.length ? 0 : this.emptyPages + 1;
    this.isPaused = this.emptyPages >= EMPTY_MAX;
    const at = this.spans.indexOf(span);
    const spans = [...this.spans];
    spans.splice(at, 1, loaded, ...rest);
    this.spans = this.withinBound(spans, at);
    return isAbove ? loaded.rows + (rest[0]?.rows ?? 0) - span.rows : 0;
  }

  /** Lets go of the spans that are farthest from `present`. They are read again when they are needed. */
  private withinBound(spans: Span[], present: number): Span[] {
    let held = spans.reduce((sum, each) => sum + (each.items?.length ?? 0), 0);
    let [low, high] = [0, spans.length - 1];
    while (held > HELD_MAX && low < high) {
      const at = present - low > high - present ? low++ : high--;
      const span = spans[at];
      if (!span.items?.length) continue;
      held -= span.items.length;
      spans[at] = { ...span, items: undefined };
    }
    return spans;
  }

  /** Takes an item out, or replaces it, without reading again. */
  replace(isSame: (item: Item) => boolean, item?: Item): void {
    this.spans = this.spans.map((span) => {
      const at = span.items?.findIndex(isSame) ?? -1;
      if (at < 0) return span;
      const items = [...span.items!];
      items.splice(at, 1, ...(item ? [item] : []));
      return { ...span, items, rows: items.length };
    });
  }
}
