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
}

/** Settings of a client of the SDK. */
export interface Database {
  endpoint: string | undefined;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** Starts a server on a free port with these flags of `stator --help`; resolves when it listens. */
export function startStator(...flags: string[]): Promise<StatorServer>;

/** What a test program calls around tests. */
export interface Hooks {
  beforeAll(hook: () => Promise<void>): unknown;
  beforeEach(hook: () => Promise<void>): unknown;
  afterAll(hook: () => Promise<void>): unknown;
}

/**
 * A server for the tests of a file or block, filled once and as it was then before each test; what it returns gives the
 * settings of a client, in tests. Without hooks that are global, name them.
 */
export function rollingBack(
  fill: (settings: Database) => unknown,
  options?: { flags?: string[]; hooks?: Hooks },
): () => Database;

/** Settings for an empty database, on the server of the run when no endpoint is given. */
export function database(endpoint?: string): Database;
