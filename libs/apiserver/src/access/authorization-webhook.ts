import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, readKubeconfig, Transport, TransportError } from '@orch/client';

/** How long one call may take, milliseconds. */
const TIMEOUT_MS = 30_000;
/** Tries of a call, and how long is waited after the first; half as long again after each that follows, and up to a fifth more. */
const TRIES = 5;
const FIRST_PAUSE_MS = 500;
const GROWTH = 1.5;
const JITTER = 0.2;
const MAX_ANSWER_BYTES = 1 << 20;

/** The webhook of `--authorization-webhook-config-file`: the server of a kubeconfig, asked at just the path that stands there. */
export class AuthorizationWebhook {
  private constructor(
    private readonly transport: Transport,
    private readonly path: string,
  ) {}

  /** @throws KubeconfigError */
  static async open(file: string): Promise<AuthorizationWebhook> {
    const connection = await readKubeconfig(file);
    const settings = {
      userAgent: 'orch-apiserver',
      timeoutMs: TIMEOUT_MS,
      maxRetries: 0,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    };
    // The path of the server is put before every request's.
    const { pathname } = new URL(connection.server);
    return new AuthorizationWebhook(new Transport(connection, settings), pathname.replace(/\/$/, '') === '' ? '/' : '');
  }

  /** Sends a review. Resolves with the answer. @throws ApiError, TransportError */
  async ask(review: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    for (let attempt = 1, waitMs = FIRST_PAUSE_MS; ; attempt++, waitMs *= GROWTH) {
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const { body } = await this.transport.request('POST', this.path, { body: review, headers, signal });
        return body.toString('utf8');
      } catch (error) {
        if (attempt >= TRIES || !isWorthAnotherTry(error)) throw error;
        await pause(waitMs * (1 + Math.random() * JITTER));
      }
    }
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}

/** What passes by itself: a broken connection, a server that has too much to do or is in trouble. */
function isWorthAnotherTry(error: unknown): boolean {
  if (error instanceof ApiError) return [429, 500, 504].includes(error.code) || error.retryAfterMs !== undefined;
  return error instanceof TransportError && codeOf(error) === 'ECONNRESET';
}

function codeOf(error: Error): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if ('code' in at) return at.code;
  return undefined;
}
