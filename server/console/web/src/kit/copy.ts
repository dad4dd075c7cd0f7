// Copies a text. Where the page may not use the clipboard (plain http on another host), it copies from a selected field.

import { notify } from './notices.svelte';

export async function copy(text: string, done = 'Copied.'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    if (!isDone) return notify('The browser does not allow copying here.', { isFailure: true });
  }
  notify(done);
}
