// The only module that speaks with the server: operations of the API as signed requests, and the verbs of
// the admin path. Numbers of items are text on the wire (`{"N": "1"}`) and stay text here.

export type Type = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'M' | 'L' | 'SS' | 'NS' | 'BS';
/** An attribute value as it is on the wire: one member, named by its type. */
export type Value = { [T in Type]?: unknown };
export type Item = Record<string, Value>;
/** A response or request body of the API. */
export type Body = Record<string, any>;

export interface Scope {
  region: string;
  accessKey: string;
}

export interface Answer<T = Body> {
  body: T;
  requestId: string;
  /** Size of the response body. */
  bytes: number;
  /** The server's explanation of this request, if it gave one. */
  explanation?: Explanation;
}

export interface Explanation {
  units?: number;
  took_us?: number;
  read?: Body;
  refused?: { rule: string; attribute?: string; expected?: string; given?: string };
  hints?: string[];
  /** Of a dry run: what would change, with the first ten items. */
  would?: { items_changed: number; items?: { table: string; key?: Item; old_bytes: number; new_bytes: number }[] };
}

/** A response that is not a success, in the service's words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly requestId = '',
    readonly body: Body = {},
    readonly explanation?: Explanation,
  ) {
    super(message);
  }
}

/** The server does not have this verb. */
export class NotOffered extends Error {}

/** The server did not respond at all. */
export class Unreachable extends Error {}

export const DEFAULT_SCOPE: Scope = { region: 'us-east-1', accessKey: 'local' };
const TOKEN = 'stator-console-token';

/** Takes the token of `#token=…` out of the address, where the server prints it when it wants one. */
export function takeToken(): void {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(TOKEN, decodeURIComponent(found[1]));
  history.replaceState(null, '', location.pathname + location.search);
}

function commonHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  return { 'x-stator-console': '1', ...(token ? { 'x-stator-token': token } : {}) };
}

/** The headers that make a request belong to a Region and an access key. The server checks no signature's value. */
export function signature(scope: Scope, now = new Date()): Record<string, string> {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  return {
    'X-Amz-Date': stamp,
    Authorization:
      `AWS4-HMAC-SHA256 Credential=${scope.accessKey}/${stamp.slice(0, 8)}/${scope.region}/dynamodb/aws4_request, ` +
      'SignedHeaders=host;x-amz-date, Signature=0',
  };
}

export function isStreamsOperation(operation: string): boolean {
  return ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].includes(operation);
}

export function targetOf(operation: string): string {
  return (isStreamsOperation(operation) ? 'DynamoDBStreams_20120810.' : 'DynamoDB_20120810.') + operation;
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, { cache: 'no-store', credentials: 'omit', ...options });
    connection(true);
    return response;
  } catch (failure) {
    if ((failure as Error).name === 'AbortError') throw failure;
    connection(false);
    throw new Unreachable('The server does not respond.');
  }
}

let connection: (works: boolean) => void = () => {};

/** Calls `listener` with the outcome of each attempt to reach the server. */
export function watchConnection(listener: (works: boolean) => void): void {
  connection = listener;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Leaves out the mark of the console, so the server records and charges the request like any other. */
  asClient?: boolean;
  /** The server decides and explains the request, and changes nothing. */
  isDry?: boolean;
}

/** Sends one operation of the API. Throws a Refusal in the service's words. */
export async function call(
  scope: Scope,
  operation: string,
  body: Body | string,
  { signal, asClient = false, isDry = false }: CallOptions = {},
): Promise<Answer> {
  const headers: Record<string, string> = {
    ...commonHeaders(),
    ...signature(scope),
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': targetOf(operation),
    'x-stator-explain': '1',
  };
  if (isDry) headers['x-stator-dry-run'] = '1';
  if (asClient) delete headers['x-stator-console'];
  const response = await ask('/', {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  const requestId = response.headers.get('x-amzn-RequestId') ?? '';
  const explanation = parsed<Explanation>(response.headers.get('x-stator-explain') ?? '');
  // TagResource and UntagResource have no body.
  const answer = response.ok && !text ? {} : parsed<Body>(text);
  if (!response.ok || !answer) {
    const type = String(answer?.__type ?? `Status ${response.status}`);
    const message = String(answer?.message ?? answer?.Message ?? answer?.error ?? text.slice(0, 400));
    throw new Refusal(response.status, type.slice(type.indexOf('#') + 1), message, requestId, answer, explanation);
  }
  return { body: answer, requestId, bytes: text.length, explanation };
}

/** Sends one verb of the admin path: `verb('clock')` reads, `verb('clock', {advance: '1h'})` writes. */
export async function verb<T = Body>(path: string, body?: Body, signal?: AbortSignal): Promise<T> {
  const response = await ask(`/_stator/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...commonHeaders(), ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  const answer = parsed<Body>(text);
  if (response.ok && answer) return answer as T;
  const message = String(answer?.error ?? text.slice(0, 400));
  if (response.status === 404 && /nothing at this path/.test(message)) throw new NotOffered(message);
  throw new Refusal(response.status, `Status ${response.status}`, message, '', answer);
}

/** Parameters of a verb about a table: which of the tables of its name is meant. */
export function tableOf(scope: Scope): string {
  return `region=${encodeURIComponent(scope.region)}&access_key=${encodeURIComponent(scope.accessKey)}`;
}

function parsed<T>(text: string): T | undefined {
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** The page of metrics as text. */
export async function metrics(): Promise<string> {
  const response = await ask('/metrics', { headers: commonHeaders() });
  if (!response.ok) throw new Refusal(response.status, `Status ${response.status}`, await response.text());
  return response.text();
}
