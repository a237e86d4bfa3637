import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { cutOff, http2StreamOf, type RequestContext, type Upgrade } from '../http/context.js';
import { switchProtocols } from '../http/joined-connections.js';
import { passedOn } from '../http/passed-on.js';
import { LINGER_MS } from '../watching/watch-stream.js';
import { LineEnds, protobufEnds, webSocketEnds } from './frame-ends.js';
import { HandedWatch, type Silence } from './handed-watch.js';

/** The response of another server, as the client of Node gives it; its body is the stream. */
export type ServerAnswer = Readable & Pick<IncomingMessage, 'statusCode' | 'headers' | 'rawHeaders' | 'complete'>;

/** Forwards the response of another server; a truncated body is truncated here too. */
export const passOn = (ctx: RequestContext, answer: ServerAnswer): void => passOnAs(ctx, answer, answer);

/** Forwards the response of another server with a body that is made of its own, which is truncated where that is. */
export function passOnAs(ctx: RequestContext, answer: ServerAnswer, body: Readable): void {
  beginAnswer(ctx, answer);
  answer.once('close', () => {
    if (!answer.complete && !ctx.res.writableEnded) cutOff(ctx);
  });
  const { trail } = ctx;
  if (trail)
    body.on('data', (bytes: Buffer) => {
      trail.bytes += bytes.length;
    });
  body.pipe(ctx.res);
}

/**
 * Answers with a watch that another server serves; undefined for a refusal.
 * @param silence limit for one that must send signs of life
 */
export function passWatchOn(ctx: RequestContext, answer: IncomingMessage, silence?: Silence): HandedWatch | undefined {
  answer.socket.setTimeout(0);
  if (answer.statusCode !== 200) {
    passOn(ctx, answer);
    return undefined;
  }
  const ends = answer.headers['content-type']?.includes('protobuf') ? protobufEnds() : new LineEnds();
  beginAnswer(ctx, answer);
  // A stream cut over there is cut here too: a clean end would say that nothing is missing. But an HTTP/2 client takes a
  // broken stream for a failure of the server and lists again, where it goes on from its last version after an end: which
  // is as good, for a watch has nothing behind its last whole event.
  answer.once('close', () => {
    if (answer.complete || ctx.res.writableEnded) return;
    if (http2StreamOf(ctx)) ctx.res.end();
    else cutOff(ctx);
  });
  const finish = () => {
    ctx.res.setTimeout(LINGER_MS, () => cutOff(ctx));
    ctx.res.end();
  };
  return new HandedWatch(answer, ctx.res, ends, finish, silence);
}

/** Sends the head of an answer, which is not kept while the body goes on: another server chooses its size. */
function beginAnswer({ res }: RequestContext, answer: ServerAnswer): void {
  const { statusCode = 502, headers } = answer;
  try {
    res.writeHead(statusCode, passedOn(headers));
    // Header bytes were read as Latin-1, and Node flushes them as UTF-8.
    if (http2StreamOf({ res })) res.flushHeaders();
    else res.write('', 'latin1');
  } catch (error) {
    // Headers that could not be sent must not prevent the error from being sent.
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    throw error;
  }
  answer.headers = {};
  answer.rawHeaders = [];
}

/** A close frame with the code 1000 (RFC 6455 section 5.5.1). */
const NORMAL_CLOSURE = Buffer.from([0x88, 0x02, 0x03, 0xe8]);

/**
 * Joins a client's WebSocket with one from another server that serves its watch.
 * @param silence limit for one that must send signs of life
 */
export function joinWebSockets(
  ctx: RequestContext,
  client: Upgrade,
  answer: IncomingMessage,
  other: Upgrade,
  silence?: Silence,
): HandedWatch | undefined {
  if (!switchProtocols(ctx, client, answer, other)) return undefined;
  const { socket } = client;
  const finish = () => {
    socket.setTimeout(LINGER_MS, () => socket.destroy());
    socket.end(NORMAL_CLOSURE);
  };
  return new HandedWatch(other.socket, socket, webSocketEnds(), finish, silence);
}
