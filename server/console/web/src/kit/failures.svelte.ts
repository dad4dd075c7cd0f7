// Requests of programs that failed since the log was last looked at.

import { verb } from '../wire/wire';
import { connection } from './clock.svelte';

export const failures = $state({ count: 0 });

const PERIOD_MS = 5000;
let cursor: number | undefined;

async function ask(): Promise<void> {
  if (document.hidden || !connection.works) return;
  const answer = await verb(`requests?show=failures&${cursor === undefined ? 'last=1' : `after=${cursor}`}`);
  if (cursor !== undefined) failures.count += answer.requests.length;
  cursor = answer.cursor;
}

/** Counts while the page is visible. Returns a function that ends it. */
export function watchFailures(): () => void {
  const turn = () =>
    void ask().catch(() => {
      cursor = undefined; // another process has other numbers
    });
  turn();
  const timer = setInterval(turn, PERIOD_MS);
  return () => clearInterval(timer);
}

export function lookedAtFailures(): void {
  failures.count = 0;
}
