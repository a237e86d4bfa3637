import { StatusError } from '@orch/machinery';
import { cutOff, left, type RequestContext, type ServerAnswer, type Upgrade } from '@orch/serving';
import { checkWebSocketKey, offeredProtocols } from '@orch/streaming';
import { acceptSession } from './session-request.js';

/** Subprotocols of logs: the bytes as they are, and each message in base64, for clients that read text alone. */
const [BINARY, BASE64] = ['binary.k8s.io', 'base64.binary.k8s.io'];

/** Bytes of a client's message, which is not looked at. */
const MAX_CLIENT_MESSAGE = 64 << 10;

/**
 * Returns the first subprotocol that a client offers and logs can have; undefined for none, where it offers none.
 * @throws StatusError 400 for an invalid handshake; 403 where all that it offers is unknown
 */
export function logProtocol({ req }: Pick<RequestContext, 'req'>): string | undefined {
  checkWebSocketKey(req);
  const offered = offeredProtocols(req);
  if (offered.length === 0) return undefined;
  const known = offered.find((each) => each === BINARY || each === BASE64);
  if (known !== undefined) return known;
  const supported = ['', BINARY, BASE64].join(' ');
  throw new StatusError(
    'Forbidden',
    `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${supported}]`,
  );
}

/**
 * Answers with the log that an agent sends as the messages of a WebSocket, each of them of what has arrived at a time.
 * An empty one comes first: the log has begun. What the client sends is dropped.
 * @param protocol see {@link logProtocol}
 * @param unreadMs milliseconds for the client to read what is left behind the log's end; 0 is no bound
 */
export async function passLogMessages(
  ctx: RequestContext,
  client: Upgrade,
  log: ServerAnswer,
  protocol: string | undefined,
  unreadMs: number,
): Promise<void> {
  const isText = protocol === BASE64;
  const encoded = (bytes: Buffer): Buffer | string => (isText ? bytes.toString('base64') : bytes);
  const receiver = { message: () => undefined, closed: () => log.destroy() };
  const request = { ctx, client, maxMessage: MAX_CLIENT_MESSAGE, idleMs: unreadMs };
  const messages = acceptSession(request, protocol, receiver);
  if (!messages) return void log.destroy();
  messages.send(encoded(Buffer.alloc(0)), log);
  log.on('data', (bytes: Buffer) => {
    if (ctx.trail) ctx.trail.bytes += bytes.length;
    messages.send(encoded(bytes), log);
  });
  log.once('end', () => messages.close());
  // An end in order would say that nothing is missing.
  log.once('close', () => {
    if (!log.complete) cutOff(ctx);
  });
  await left(ctx);
}
