import { type Clock, systemClock } from './clock.js';
import { type Logger, silentLogger } from './logging/logger.js';

/**
 * A health check, which throws (or rejects) when unhealthy; the message goes to the log and to the single-check path
 * only.
 */
export interface HealthCheck {
  /** Last segment of the check's own path, `/livez/<name>`; the name for `exclude`. */
  readonly name: string;
  /** Called for every request, possibly concurrently. */
  check(): void | Promise<void>;
}

/** The paths under which checks are served. `healthz` is the deprecated one. */
export type HealthEndpoint = 'livez' | 'readyz' | 'healthz';

/** The answer of a health endpoint, for any HTTP server. */
export interface HealthResponse {
  /** 500 when a check that was not excluded failed. */
  readonly status: 200 | 500;
  /** Headers, with names in lower case: plain text, not to be cached. */
  readonly headers: Readonly<Record<string, string>>;
  /** `ok`, or the list of checks: when it was requested, and always when one failed. The list contains no causes. */
  readonly body: string;
}

/** Settings of checks; everything has a default. */
export interface HealthSettings {
  /** A check that takes longer fails, ms. Default 5,000. */
  readonly timeoutMs?: number;
  /** Times out the checks. Default: the system's. */
  readonly clock?: Clock;
  /** Logs failed checks at verbosity 2. Default: none. */
  readonly logger?: Logger;
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache, private',
} as const;

/** Every list of checks begins with this one, which always passes, so that a list is never empty. */
const PING: HealthCheck = { name: 'ping', check() {} };

/** Named checks and their endpoints (spec: "Health endpoints"); independent of any HTTP server. */
export class HealthRegistry {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timeoutMs: number;
  readonly #checks: Record<HealthEndpoint, HealthCheck[]> = { livez: [PING], readyz: [PING], healthz: [PING] };

  constructor({ timeoutMs = 5000, clock = systemClock, logger = silentLogger }: HealthSettings = {}) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Adds a check to the endpoints named. Throws when one of them has a check of that name. */
  add(check: HealthCheck, ...endpoints: readonly HealthEndpoint[]): this {
    for (const endpoint of endpoints) {
      if (this.#checks[endpoint].some(({ name }) => name === check.name)) {
        throw new Error(`${endpoint} has a check named ${check.name} already`);
      }
      this.#checks[endpoint].push(check);
    }
    return this;
  }

  /**
   * Answers `/livez`, `/readyz`, `/healthz` and `/<endpoint>/<check>`; undefined for any other path.
   * Query parameters: `verbose` (present or not), `exclude` (repeatable).
   */
  async handle(path: string, query: URLSearchParams): Promise<HealthResponse | undefined> {
    const [, endpoint = '', ...rest] = path.split('/');
    if (!isEndpoint(endpoint)) return undefined;
    const name = rest.join('/');
    if (name === '') return this.#all(endpoint, query);
    const check = this.#checks[endpoint].find((candidate) => candidate.name === name);
    return check && this.#one(check);
  }

  /** Runs every check of an endpoint; returns whether each passed, by name. */
  run(endpoint: HealthEndpoint): Promise<(readonly [name: string, passed: boolean])[]> {
    return Promise.all(
      this.#checks[endpoint].map(async (check) => [check.name, (await this.#run(check)) === undefined] as const),
    );
  }

  async #one(check: HealthCheck): Promise<HealthResponse> {
    const failure = await this.#run(check);
    if (!failure) return ok('ok');
    return failed(`internal server error: ${failure.message}\n`);
  }

  async #all(endpoint: HealthEndpoint, query: URLSearchParams): Promise<HealthResponse> {
    const excluded = new Set(query.getAll('exclude'));
    const checks = this.#checks[endpoint];
    const failures = await Promise.all(
      checks.map((check) => (excluded.has(check.name) ? undefined : this.#run(check))),
    );
    const lines = checks.map(({ name }, at) => {
      if (excluded.delete(name)) return `[+]${name} excluded: ok\n`;
      return failures[at] ? `[-]${name} failed: reason withheld\n` : `[+]${name} ok\n`;
    });
    if (excluded.size > 0) {
      const names = [...excluded].sort().map((name) => JSON.stringify(name));
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`);
    }
    const report = lines.join('');
    if (failures.some(Boolean)) {
      const names = checks.filter((_check, at) => failures[at]).map(({ name }) => name);
      this.#logger.v(2)?.info('health check failed', { endpoint, checks: names });
      return failed(`${report}${endpoint} check failed\n`);
    }
    return ok(query.has('verbose') ? `${report}${endpoint} check passed\n` : 'ok');
  }

  async #run(check: HealthCheck): Promise<Error | undefined> {
    let cancel: (() => void) | undefined;
    const overdue = new Promise<Error>((resolve) => {
      cancel = this.#clock.after(this.#timeoutMs, () => resolve(new Error('the check timed out')));
    });
    const verdict = async (): Promise<Error | undefined> => {
      try {
        await check.check();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    };
    try {
      return await Promise.race([verdict(), overdue]);
    } finally {
      cancel?.();
    }
  }
}

const isEndpoint = (text: string): text is HealthEndpoint =>
  text === 'livez' || text === 'readyz' || text === 'healthz';
const ok = (body: string): HealthResponse => ({ status: 200, headers: HEADERS, body });
const failed = (body: string): HealthResponse => ({ status: 500, headers: HEADERS, body });

/** For `readyz`: fails once a shutdown has begun. */
export const shutdownCheck = (stopping: AbortSignal): HealthCheck => ({
  name: 'shutdown',
  check() {
    if (stopping.aborted) throw new Error('the process is shutting down');
  },
});

/** For `livez`: a check that takes effect only `graceMs` after now (`--livez-grace-period`). */
export function afterGrace(check: HealthCheck, graceMs: number, clock: Clock = systemClock): HealthCheck {
  const due = clock.now() + graceMs;
  return {
    name: check.name,
    check: () => (clock.now() < due ? undefined : check.check()),
  };
}
