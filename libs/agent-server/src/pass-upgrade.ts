import { request as ask, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { StatusError } from '@orch/machinery';
import { refuseUpgrade, type UpgradeRequest } from '@orch/streaming';

/** Milliseconds for the runtime to answer. */
const ANSWER_MS = 30_000;
/** Bytes of a refusal of the runtime, at most. */
const MOST_REFUSAL = 64 << 10;

/** Headers of a request that are passed on to the runtime: those of the protocols alone, and no credentials. */
const PASSED = /^(?:connection|upgrade|x-stream-protocol-version|sec-websocket-.*)$/;

/**
 * Connects a client with the runtime at a URL, unchanged; resolves when both sides are closed.
 * @throws StatusError 500 where the runtime cannot be reached
 */
export async function passUpgrade(request: UpgradeRequest, url: string, idleMs: number): Promise<void> {
  const { req, socket } = request;
  const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => PASSED.test(name)));
  const sent = ask(url, { method: req.method ?? 'POST', headers, agent: false, timeout: ANSWER_MS });
  socket.once('close', () => sent.destroy());
  sent.on('timeout', () => sent.destroy(new Error('the runtime does not answer')));
  const closed = new Promise<void>((resolve, reject) => {
    sent.once('error', (error) =>
      reject(new StatusError('InternalError', `error dialing the runtime: ${error.message}`)),
    );
    sent.once('response', (message) => resolve(passRefusal(request, message)));
    sent.once('upgrade', (message, runtime: Socket, head) => {
      resolve(join(request, message, { socket: runtime, head }, idleMs));
    });
  });
  sent.end();
  await closed;
}

async function passRefusal(request: UpgradeRequest, message: IncomingMessage): Promise<void> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_REFUSAL) break;
    pieces.push(piece);
  }
  const { statusCode = 500 } = message;
  refuseUpgrade(request, statusCode < 400 ? 500 : statusCode, Buffer.concat(pieces).toString());
}

function join(
  { socket, head }: UpgradeRequest,
  { statusCode, statusMessage, rawHeaders }: IncomingMessage,
  runtime: { readonly socket: Socket; readonly head: Buffer },
  idleMs: number,
): Promise<void> {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.setNoDelay(true);
  runtime.socket.setNoDelay(true);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(runtime.head);
  runtime.socket.write(head);
  runtime.socket.setTimeout(idleMs, () => runtime.socket.destroy());
  runtime.socket.on('error', () => undefined);
  runtime.socket.once('close', () => socket.end());
  socket.once('close', () => runtime.socket.destroy());
  socket.pipe(runtime.socket);
  runtime.socket.pipe(socket);
  return new Promise((resolve) => runtime.socket.once('close', () => resolve()));
}
