// The engine's clock, which all relative times of the pages use, and whether the server responds.

import { verb, watchConnection, type Body } from '../wire/wire';

export const clock = $state({ time: '', mode: 'real', rate: 1, isKnown: false });
/** `isAnother`: another process responds than the one that the page began with. */
export const connection = $state({ works: true, isAnother: false });

const PERIOD_MS = 5000;
const FIRST_RETRY_MS = 1000;
/** Start of the process that responded first. */
let started: string | undefined;

export function take(answer: Body): void {
  Object.assign(clock, { time: answer.time, mode: answer.mode, rate: answer.rate, isKnown: true });
}

export async function refreshClock(): Promise<void> {
  take(await verb('clock'));
}

/** Another process may have other data; what was entered on the page is still there. */
async function lookAtProcess(): Promise<void> {
  const info = await verb('info');
  if (started !== undefined && info.started !== started) connection.isAnother = true;
  started = info.started;
}

/** Asks while the page is visible, soon again after the server did not respond. Returns a function that ends it. */
export function watchClock(): () => void {
  let retry = FIRST_RETRY_MS;
  let timer: ReturnType<typeof setTimeout>;
  watchConnection((works) => {
    const isBack = works && !connection.works;
    connection.works = works;
    if (isBack) void lookAtProcess().catch(() => {});
  });
  const ask = async () => {
    if (!document.hidden) await refreshClock().catch(() => {});
    if (connection.works) retry = FIRST_RETRY_MS;
    timer = setTimeout(ask, connection.works ? PERIOD_MS : retry);
    if (!connection.works) retry = Math.min(retry * 2, PERIOD_MS);
  };
  void ask();
  void lookAtProcess().catch(() => {});
  return () => clearTimeout(timer);
}
