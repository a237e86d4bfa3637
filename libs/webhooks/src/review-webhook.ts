import { ApiError, type Connection, cleanPath, connectionMessage, Transport, TransportError } from '@orch/client';
import { WebhookError } from './webhook-clients.js';

/** Settings of a webhook that answers reviews; everything but the connection has a default. */
export interface ReviewWebhookSettings {
  /** Address and credentials, as in a connection file (form of a kubeconfig). */
  readonly connection: Connection;
  /** Time that all attempts together may take, ms. Default 30,000. */
  readonly timeoutMs?: number;
  /** Most attempts for errors that can be retried. Default 5. */
  readonly attempts?: number;
  /** First wait between two attempts, ms; each further wait is half as long again. Default 500. */
  readonly firstWaitMs?: number;
  /** Most bytes of an answer; a longer one is a failure. Default 1 MiB. */
  readonly maxAnswerBytes?: number;
  /** Most concurrent requests; others wait, within their timeout. Default 100. */
  readonly maxCalls?: number;
  /** Returns a number in [0, 1) for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Called for each request that has been answered, or was given up. */
  readonly onReview?: (failed: boolean) => void;
}

const GROWTH = 1.5;
const JITTER = 0.2;
/** Codes of a lost connection, as when the webhook has closed a kept-alive one: there was no answer. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends reviews to one webhook at the path of its connection, cleaned, and retries as pkg/util/webhook of
 * k8s.io/apiserver does: for 429, 500, 504, answers with `Retry-After`, and lost connections.
 */
export class ReviewWebhook {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(private readonly settings: ReviewWebhookSettings) {
    const { connection, timeoutMs = 30_000, maxAnswerBytes = 1 << 20, maxCalls = 100 } = settings;
    const { origin, pathname } = new URL(connection.server);
    this.#path = cleanPath(pathname);
    this.#transport = new Transport(
      { ...connection, server: origin },
      {
        userAgent: 'orch-apiserver',
        maxRetries: 0,
        timeoutMs,
        maxAnswerBytes,
        maxConnections: maxCalls,
      },
    );
  }

  /**
   * Sends a review and returns the answer, a JSON object.
   * @throws WebhookError without an answer. It contains nothing of the request, nor of the text of a refusal.
   */
  async ask(review: object): Promise<Readonly<Record<string, unknown>>> {
    const { onReview } = this.settings;
    try {
      const answer = await this.#ask(review);
      onReview?.(false);
      return answer;
    } catch (error) {
      onReview?.(true);
      throw error;
    }
  }

  async #ask(review: object): Promise<Readonly<Record<string, unknown>>> {
    const { timeoutMs = 30_000, attempts = 5, firstWaitMs = 500, random = Math.random } = this.settings;
    const signal = AbortSignal.timeout(timeoutMs);
    const body = JSON.stringify(review);
    for (let attempt = 1, wait = firstWaitMs; ; attempt++, wait *= GROWTH) {
      try {
        return parsed(await this.#post(body, signal));
      } catch (error) {
        if (attempt >= attempts || signal.aborted || !isWorthAgain(error)) throw this.#failure(error, signal);
        const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        await passed(Math.max(asked, wait * (1 + random() * JITTER)), signal);
        if (signal.aborted) throw this.#failure(error, signal);
      }
    }
  }

  /** Closes the client once the requests in flight are answered. There must be no further requests. */
  end(): Promise<void> {
    return this.#transport.end();
  }

  /** Closes the client and aborts the requests in flight. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #post(body: string, signal: AbortSignal): Promise<Buffer> {
    const headers = { 'content-type': 'application/json' };
    return (await this.#transport.request('POST', this.#path, { body, headers, signal })).body;
  }

  #failure(error: unknown, signal: AbortSignal): WebhookError {
    const { connection, timeoutMs = 30_000 } = this.settings;
    const { origin } = new URL(connection.server);
    const why = signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
    return new WebhookError(`Post ${JSON.stringify(origin + this.#path)}: ${why}`);
  }
}

function isWorthAgain(error: unknown): boolean {
  if (error instanceof ApiError) return [429, 500, 504].includes(error.code) || error.retryAfterMs !== undefined;
  const cause: unknown = error instanceof TransportError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && LOST.has(String(cause.code));
}

/** Returns the reason of a failure; for a refusal only its code, as its text may repeat the request. */
const reasonOf = (error: unknown): string =>
  error instanceof ApiError ? `the server answered ${error.code}` : connectionMessage(error);

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Error('the answer is not JSON');
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error('the answer is not an object');
  return answer as Readonly<Record<string, unknown>>;
}

const passed = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
