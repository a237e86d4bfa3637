import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Time between two looks at something that is about to become true. */
const POLL_MS = 20;

/**
 * Looks until `check` returns true. Throws with `what` once `timeoutMs` are over, or whatever `check` throws.
 */
export async function waitUntil(
  what: string,
  timeoutMs: number,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** Whether something accepts connections on a port of loopback. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Whether an HTTPS address answers 200. The certificate is checked against `ca` (PEM). */
export function answersOk(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = httpsGet(url, { ca, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.once('error', () => resolve(false));
  });
}
