import { type ClientRequest, get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Interval of polling a condition, milliseconds. */
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

/** Whether something accepts connections at a port, of loopback unless another address is given. */
export function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Whether an HTTPS address answers 200, to the holder of a token where one is given. The certificate is checked against
 * `ca` (PEM).
 */
export function answersOk(url: string, ca: string, token?: string): Promise<boolean> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return answered((resolve) => httpsGet(url, { ca, headers, ...ASKING }, resolve));
}

/** Whether an address of plain HTTP answers 200. */
export function answersPlain(url: string): Promise<boolean> {
  return answered((resolve) => httpGet(url, ASKING, resolve));
}

const ASKING = { agent: false, timeout: 2_000 } as const;

function answered(ask: (answer: (response: IncomingMessage) => void) => ClientRequest): Promise<boolean> {
  return new Promise((resolve) => {
    const request = ask((response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.once('error', () => resolve(false));
  });
}
