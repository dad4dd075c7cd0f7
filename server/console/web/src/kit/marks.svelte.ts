// The server's marks, and how much has changed since each.

import { verb, type Body } from '../wire/wire';
import { connection } from './clock.svelte';
import { plural } from './format';

/** In the order in which they were made; those that the server dropped by itself follow, with `lost`. */
export const marks = $state({ all: [] as Body[] });

const PERIOD_MS = 5000;
/** The server counts them anew for each answer, so many changes make the page ask less often. */
const MS_A_CHANGE = 1;

export async function refreshMarks(): Promise<void> {
  marks.all = (await verb('marks')).marks;
}

/** Asks while the page is visible. Returns a function that ends it. */
export function watchMarks(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const ask = async () => {
    if (!document.hidden && connection.works) await refreshMarks().catch(() => {});
    timer = setTimeout(ask, PERIOD_MS + MS_A_CHANGE * marks.all.reduce((sum, each) => sum + itemsOf(each), 0));
  };
  void ask();
  return () => clearTimeout(timer);
}

function itemsOf(mark: Body): number {
  return (mark.tables as Body[]).reduce((sum, each) => sum + each.put + each.deleted, 0);
}

/** How many items are not as they were at the mark. */
export function changedItems(mark: Body, noun: string): string {
  return `${mark.more ? 'more than ' : ''}${plural(itemsOf(mark), noun)}`;
}

export function lastMark(): Body | undefined {
  return marks.all.findLast((each) => !each.lost);
}
