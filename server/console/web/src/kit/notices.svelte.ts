// Short messages that appear at the edge of the window and go by themselves, unless they report a failure.

export interface Notice {
  id: number;
  text: string;
  isFailure: boolean;
}

export const notices = $state<Notice[]>([]);
const STAY_MS = 6000;
const MAX = 4;
let last = 0;

export function notify(text: string, { isFailure = false } = {}): void {
  const id = ++last;
  notices.push({ id, text, isFailure });
  if (notices.length > MAX) notices.shift();
  if (!isFailure) setTimeout(() => dismiss(id), STAY_MS);
}

export function dismiss(id: number): void {
  const at = notices.findIndex((each) => each.id === id);
  if (at >= 0) notices.splice(at, 1);
}
