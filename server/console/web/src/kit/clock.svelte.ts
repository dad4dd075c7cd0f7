// The engine's clock, which all relative times of the pages use, and whether the server responds.

import { verb, watchConnection, type Body } from '../wire/wire';

export const clock = $state({ time: '', mode: 'real', rate: 1, isKnown: false });
export const connection = $state({ works: true });

const PERIOD_MS = 5000;

export function take(answer: Body): void {
  Object.assign(clock, { time: answer.time, mode: answer.mode, rate: answer.rate, isKnown: true });
}

export async function refreshClock(): Promise<void> {
  take(await verb('clock'));
}

/** Asks while the page is visible. Returns a function that ends it. */
export function watchClock(): () => void {
  watchConnection((works) => {
    connection.works = works;
  });
  const ask = () => {
    if (!document.hidden) void refreshClock().catch(() => {});
  };
  ask();
  const timer = setInterval(ask, PERIOD_MS);
  return () => clearInterval(timer);
}
