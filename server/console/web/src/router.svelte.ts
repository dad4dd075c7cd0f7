// The address is the state: the path names the page, the query its settings. Region and access key are in
// the query of every page, left out when they are the defaults.

import { DEFAULT_SCOPE, takeToken, type Scope } from './wire/wire';

export const BASE = '/_stator/console/';

/** `fragment` is what stands behind # and names no part of a page. */
export const route = $state({ segments: [] as string[], query: new URLSearchParams(), fragment: '' });

/** The part of each page to which its first link skips. */
const CONTENT = '#main';

function read(): void {
  takeToken();
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : '';
  route.segments = path.split('/').filter(Boolean).map(decoded);
  route.query = new URLSearchParams(location.search);
  route.fragment = location.hash === CONTENT ? '' : location.hash;
}

/** What is not encoded as an address should be means itself. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

let isDirty: () => boolean = () => false;

/** Registers what knows of changes that are not saved; the page asks before it leaves them. */
export function guardLeaving(check: () => boolean): () => void {
  isDirty = check;
  return () => {
    isDirty = () => false;
  };
}

function mayLeave(): boolean {
  return !isDirty() || confirm('Discard the changes that are not saved?');
}

export function startRouter(): void {
  read();
  addEventListener('popstate', read);
  addEventListener('beforeunload', (event) => {
    if (isDirty()) event.preventDefault();
  });
  addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(BASE) || link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

/** Goes to an address that `link` made. */
export function go(address: string, { replace = false } = {}): void {
  if (!replace && !mayLeave()) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  read();
}

export type Settings = Record<string, string | undefined>;

/** The address of a page with these settings, in the present Region and access key. */
export function link(segments: string[], settings: Settings = {}): string {
  const query = new URLSearchParams();
  for (const name of ['r', 'k']) {
    const value = route.query.get(name);
    if (value) query.set(name, value);
  }
  for (const [name, value] of Object.entries(settings)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  return BASE + segments.map(encodeURIComponent).join('/') + (text ? `?${text}` : '');
}

/** Changes settings of the present page; those that are not named stay. */
export function set(settings: Settings, options = { replace: true }): void {
  go(link(route.segments, { ...Object.fromEntries(route.query), ...settings }), options);
}

export function scope(): Scope {
  return {
    region: route.query.get('r') ?? DEFAULT_SCOPE.region,
    accessKey: route.query.get('k') ?? DEFAULT_SCOPE.accessKey,
  };
}
