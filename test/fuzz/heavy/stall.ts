import { readFileSync } from 'node:fs';
import { Connection, type Endpoint, requestBytes } from '../../load/connection.js';
import type { HeavyRequest } from './heavy-request.js';

export interface Stall {
  /**
   * Longest that another request waited while the heavy one was on its way, milliseconds; of each wait no more is counted
   * than the server's main thread computed meanwhile, as others on the machine make everybody wait.
   */
  readonly waitMs: number;
  readonly status: number;
  /** Duration of the heavy request itself, milliseconds. */
  readonly tookMs: number;
  /** Beginning of its answer. */
  readonly answer: string;
}

/** A server, and a small request that it answers from memory. */
export interface Victim {
  readonly endpoint: Endpoint;
  readonly small: string;
  readonly pid: number;
}

/** CPU time that the main thread of a process has used, milliseconds. */
function mainThreadMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** A heavy request for the wire. */
function bytesOf(endpoint: Endpoint, { method, path, headers = {}, body }: HeavyRequest): Buffer {
  const content = body?.();
  const head = requestBytes(endpoint, method, path, undefined, {
    ...headers,
    ...(content && { 'Content-Length': String(content.length) }),
  });
  // The type is left out of heads without a body.
  const type = headers['Content-Type'] ? Buffer.from(`Content-Type: ${headers['Content-Type']}\r\n\r\n`) : CRLF;
  return Buffer.concat([head.subarray(0, head.length - 2), type, ...(content ? [content] : [])]);
}

const CRLF = Buffer.from('\r\n');

/** Sends a heavy request, and another small one again and again beside it. */
export async function stallOf({ endpoint, small, pid }: Victim, heavy: HeavyRequest): Promise<Stall> {
  const bytes = bytesOf(endpoint, heavy);
  const [attacker, other] = await Promise.all([Connection.open(endpoint), Connection.open(endpoint)]);
  try {
    const question = requestBytes(endpoint, 'GET', small);
    await other.request(question);
    let answered = false;
    const begin = performance.now();
    const answer = attacker
      .request(bytes, true)
      .catch((error: Error) => ({ status: 0, body: Buffer.from(error.message) }))
      .finally(() => {
        answered = true;
      });
    let waitMs = 0;
    while (!answered) {
      const [asked, computed] = [performance.now(), mainThreadMs(pid)];
      await other.request(question);
      const [waited, cost] = [performance.now() - asked, mainThreadMs(pid) - computed];
      waitMs = Math.max(waitMs, Math.min(waited, cost));
    }
    const { status, body } = await answer;
    return { waitMs, status, tookMs: performance.now() - begin, answer: body.subarray(0, 200).toString() };
  } finally {
    attacker.close();
    other.close();
  }
}
