/** What the time of a server is moved by; nothing of it asks what time it is. */
export interface Move {
  advance?: string;
  set?: string;
  rate?: number;
  mode?: 'manual' | 'real';
}

/** A running server with data in memory. */
export interface StatorServer {
  readonly endpoint: string;
  /** Ends it; rejects when its status is not 0. */
  stop(): Promise<void>;
  /** Moves the time of all its databases; what became due has happened when this resolves. */
  clock(move?: Move): Promise<{ time: string; mode: string; rate: number }>;
  /** Removes all tables, or those of an access key; tells how many. */
  reset(owner?: { access_key?: string }): Promise<number>;
  /** Remembers the state of all its databases, and the time if it is moved later. */
  mark(name?: string): Promise<unknown>;
  /** Goes back to it; it may be gone back to again. */
  rollback(name?: string): Promise<unknown>;
  /**
   * Waits until functions have got all records of the streams that trigger them; a mapping that waits for something, such
   * as a retry, is "blocked" and has a reason. Rejects when calls are left after timeoutMs, 30,000 by default.
   */
  settle(timeoutMs?: number): Promise<Mapping[]>;
  /** Makes requests fail on demand until done(), which rejects unless the rule fired, and with `times`, as often. */
  fault(rule: FaultRule | FaultPreset | string): Promise<Fault>;
}

/** An event source mapping after settle(). */
export interface Mapping {
  mapping: string;
  function: string;
  status: 'idle' | 'busy' | 'blocked';
  reason?: string;
  until?: string;
}

/** A rule for requests that fail on demand: docs/faults.md. */
export interface FaultRule {
  name?: string;
  match?: Record<string, unknown>;
  when?: { times?: number; [condition: string]: unknown };
  effect: Record<string, unknown>;
  hidden?: boolean;
  /** done() does not look whether it fired. */
  optional?: boolean;
}

/** A preset of docs/faults.md with its argument, such as 'throttled' or 'hot-table orders'; also as a plain string. */
export interface FaultPreset {
  preset: string;
  optional?: boolean;
}

export interface Fault {
  readonly name: string;
  /** The rule and what it did. */
  state(): Promise<{ matched: number; fired: number; spent: boolean }>;
  /** Removes the rule. */
  done(): Promise<void>;
}

/** Settings of a client of the SDK. */
export interface Database {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/**
 * Starts a server on a free port with these flags of `stator --help`; resolves when it listens. Where STATOR_ENDPOINT names
 * a server it is that one, which takes no flags and is left running by stop().
 */
export function startStator(...flags: string[]): Promise<StatorServer>;

/** What a test program calls around tests. */
export interface Hooks {
  beforeAll(hook: () => Promise<void>): unknown;
  beforeEach(hook: () => Promise<void>): unknown;
  afterAll(hook: () => Promise<void>): unknown;
}

/**
 * A server for the tests of a file or block, filled once and as it was then before each test; what it returns gives the
 * settings of a client, in tests, and has that server as `server`, for its clock. Without hooks that are global, name them.
 */
export function rollingBack(
  fill: (settings: Database) => unknown,
  options?: { flags?: string[]; hooks?: Hooks },
): { (): Database; readonly server: StatorServer };

/** Settings for an empty database, on the server of the run when no endpoint is given; throws when none runs. */
export function database(endpoint?: string): Database;

/** A server whose client may do what a policy allows. */
export interface Limits {
  readonly endpoint: string;
  /** Of a client with the policy. */
  readonly database: Database;
  /** Of a client that may do everything, with the same tables. */
  readonly owner: Database;
  /** What was needed and not allowed so far, 'dynamodb:Scan on arn:…'. */
  missing(): Promise<string[]>;
  /** Ends the server; rejects when more was needed than the policy allows, unless it was enforced. */
  stop(): Promise<void>;
}

/**
 * Starts a server for a policy, a document or a list of them. What that does not allow is done all the same, so that a run
 * shows everything that it needs; with `enforce` it is denied.
 */
export function limitedTo(policies: object | string | (object | string)[], options?: { enforce?: boolean }): Promise<Limits>;
