import { ApiError, type Connection, cleanPath, connectionMessage, Transport, TransportError } from '@orch/client';
import { WebhookError } from './webhook-clients.js';

/** How a webhook is asked that answers reviews; everything but the connection has a default. */
export interface ReviewWebhookSettings {
  /** Where it is and what it is shown, as a connection file says (form of a kubeconfig). */
  readonly connection: Connection;
  /** How long an answer may take, all attempts together, ms. Default 30,000. */
  readonly timeoutMs?: number;
  /** Attempts, where it is worth trying again. Default 5. */
  readonly attempts?: number;
  /** First wait between two, ms; each is half as long again as the one before. Default 500. */
  readonly firstWaitMs?: number;
  /** Bytes of an answer beyond which it has failed. Default 1 MiB. */
  readonly maxAnswerBytes?: number;
  /** Questions that are asked at a time; others wait for their turn, within their time. Default 100. */
  readonly maxCalls?: number;
  /** 0 to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Hears of each question that has been answered, or was given up. */
  readonly onAsked?: (failed: boolean) => void;
}

const GROWTH = 1.5;
const JITTER = 0.2;
/** A connection that was lost, as when the webhook has closed one that was kept: nothing was answered. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Asks one webhook for a review at the path of its connection, cleaned, and asks again where that may help, as pkg/util/webhook of
 * k8s.io/apiserver does: for 429, 500, 504, what comes with `Retry-After`, and a connection that is lost.
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
   * The answer, a JSON object.
   * @throws WebhookError when there is none. It holds nothing of what was sent, nor of what a refusal said.
   */
  async ask(review: object): Promise<Readonly<Record<string, unknown>>> {
    const { onAsked } = this.settings;
    try {
      const answer = await this.#ask(review);
      onAsked?.(false);
      return answer;
    } catch (error) {
      onAsked?.(true);
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

  /** Lets what is being asked be answered. Nothing is to be asked any more. */
  end(): Promise<void> {
    return this.#transport.end();
  }

  /** Gives up what is being asked. */
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

/** Of a refusal its code alone: its text may repeat what was sent. */
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
