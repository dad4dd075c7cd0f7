// Numbers, sizes and times as people read them. Times are the engine's, in UTC unless `isLocal`.

export function count(value: number, decimals = 2): string {
  // Zero has no sign, not even after rounding.
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals, signDisplay: 'negative' });
}

/** A balance of tokens: it moves all the time, so its fractions say nothing. */
export function balance(tokens: number): string {
  const rounded = Math.round(tokens);
  return rounded < 0 ? `0, ${count(-rounded)} owed,` : count(rounded);
}

export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let value = bytes;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${value.toLocaleString('en-US', { maximumFractionDigits: at && value < 100 ? 1 : 0 })} ${units[at]}`;
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function clockText(time: string): string {
  return time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

/** The distance of `time` from `now`, both as the engine gives them. */
export function distance(time: string, now: string): string {
  const seconds = Math.round((Date.parse(now) - Date.parse(time)) / 1000);
  const steps: [number, string][] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const [unit, name] = steps.find(([each]) => Math.abs(seconds) >= each) ?? [1, 's'];
  const value = Math.floor(Math.abs(seconds) / unit);
  return seconds >= 0 ? `${value} ${name} ago` : `in ${value} ${name}`;
}

export function duration(microseconds: number): string {
  return microseconds < 1000 ? `${microseconds} µs` : `${count(microseconds / 1000)} ms`;
}
