import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { StatusError } from '@orch/machinery';
import { tooLarge } from '@orch/resources';
import { http2StreamOf, type RequestContext } from './context.js';
import { askForBody } from './expected-continue.js';

const endedEarly = () => new StatusError('BadRequest', 'the request body ended early');

/** Limits on the bodies of requests. */
export interface BodyLimits {
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
  /** Timeout for receiving a body, from when it is read, milliseconds. */
  readonly bodyTimeoutMs: number;
}

/** There is no status reason for it. */
function tooSlow(): StatusError {
  const error = new StatusError('BadRequest', 'the request body did not come in time');
  error.status.code = 408;
  delete error.status.reason;
  return error;
}

type Sent = Pick<RequestContext, 'req' | 'res'>;

/** Whether a request of HTTP/1.1 declares a body (RFC 9112 section 6.3). */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Whether a request declares a body. */
export function hasBody({ req, res }: Sent): boolean {
  const stream = http2StreamOf({ res });
  return stream ? !stream.endAfterHeaders : announcesBody(req);
}

/** Whether the whole body of a request that has one has arrived; over HTTP/2 that is known once it has been read. */
export const isBodyHere = ({ req }: Pick<Sent, 'req'>): boolean => req.complete;

type Reading = Pick<RequestContext, 'req' | 'res' | 'holdBody'>;

/** Bodies that are being read before a handler asks for them. */
const ahead = new WeakMap<IncomingMessage, Promise<Buffer>>();

/** Begins to read a body for {@link readBody}. Settles as that does. */
export function readAhead(ctx: Reading, limits: BodyLimits): Promise<Buffer> {
  const body = read(ctx, limits);
  // Readers of the body get the error; there may be none.
  body.catch(() => undefined);
  ahead.set(ctx.req, body);
  return body;
}

/**
 * Returns a body that was read ahead, for a proxy that would otherwise forward it as it arrives; undefined if it is
 * still arriving.
 */
export const readBefore = ({ req }: Pick<Reading, 'req'>): Promise<Buffer> | undefined => ahead.get(req);

/**
 * Reads the whole body, up to a limit. `Content-Encoding` is ignored, as in release 1.27.
 * @throws StatusError 413 above the limit, 408 when it takes too long to arrive, 429 when too many bytes of bodies are
 * held, 400 when the client aborts it
 */
export const readBody = (ctx: Reading, limits: BodyLimits): Promise<Buffer> => ahead.get(ctx.req) ?? read(ctx, limits);

async function read(ctx: Reading, { maxBodyBytes: limit, bodyTimeoutMs }: BodyLimits): Promise<Buffer> {
  const { req } = ctx;
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  // A request whose connection was cut before emits no more events.
  if (wasCut(req)) throw endedEarly();
  askForBody(ctx);
  let timer: NodeJS.Timeout | undefined;
  const body = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: unknown): void => {
      req.removeAllListeners('data').resume();
      reject(error);
    };
    if (!req.complete) timer = setTimeout(() => refuse(tooSlow()), bodyTimeoutMs);
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        ctx.holdBody(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    req.on('end', () => {
      // Over HTTP/2 a truncated body ends like a complete one.
      if (req.aborted) reject(endedEarly());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    });
    req.on('error', () => reject(endedEarly()));
    req.on('close', () => {
      // Every request is closed in the end, and an unused error would cost a stack trace.
      if (!req.readableEnded) reject(endedEarly());
    });
  });
  return body.finally(() => clearTimeout(timer));
}

function wasCut(req: IncomingMessage): boolean {
  const { stream } = req as unknown as Partial<Http2ServerRequest>;
  return (req.destroyed && !req.readableEnded) || stream?.destroyed === true;
}
