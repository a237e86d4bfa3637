import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { Status, StatusError } from '@orch/machinery';
import type { RequestContext } from './context.js';

/** Answers below this size are sent as they are: compressing them costs more than it saves. */
const GZIP_MIN_BYTES = 128 * 1024;
const GZIP_LEVEL = constants.Z_BEST_SPEED;
const gzipBuffer = promisify(gzip);

/** Headers that every answer of the API carries. */
export function baseHeaders(ctx: RequestContext, contentType: string): Record<string, string | string[] | number> {
  const headers: Record<string, string | string[] | number> = {
    'Audit-Id': ctx.requestId,
    'Cache-Control': 'no-cache, private',
    'Content-Type': contentType,
  };
  if (ctx.warnings.length > 0) headers.Warning = ctx.warnings.map(warningHeader);
  return headers;
}

/** RFC 7234 section 5.5: code, agent, quoted text. */
function warningHeader(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return `299 - "${clean}"`;
}

const acceptsGzip = (ctx: RequestContext): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(ctx.req.headers['accept-encoding'] ?? ''));

/** A whole body. `compress` is for reads only (spec: "Response compression"). */
export async function sendBytes(
  ctx: RequestContext,
  code: number,
  contentType: string,
  body: Buffer,
  compress = false,
): Promise<void> {
  const headers = baseHeaders(ctx, contentType);
  if (compress && body.length >= GZIP_MIN_BYTES && acceptsGzip(ctx)) {
    const packed = await gzipBuffer(body, { level: GZIP_LEVEL });
    ctx.res.writeHead(code, {
      ...headers,
      Vary: 'Accept-Encoding',
      'Content-Encoding': 'gzip',
      'Content-Length': packed.length,
    });
    ctx.res.end(packed);
    return;
  }
  ctx.res.writeHead(code, { ...headers, 'Content-Length': body.length });
  ctx.res.end(body);
}

/**
 * A body in pieces, written as fast as the client reads. A body that fits one piece goes out whole.
 * Errors before the first piece are the caller's to answer; after it the connection is cut, as nothing else is honest.
 */
export async function sendPieces(
  ctx: RequestContext,
  contentType: string,
  pieces: AsyncIterable<Buffer>,
  compress: boolean,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const second = first.done ? first : await iterator.next();
  if (first.done || second.done)
    return sendBytes(ctx, 200, contentType, first.done ? Buffer.alloc(0) : first.value, compress);
  const rest = prepend([first.value, second.value], iterator);
  const headers = baseHeaders(ctx, contentType);
  try {
    if (compress && acceptsGzip(ctx)) {
      ctx.res.writeHead(200, { ...headers, Vary: 'Accept-Encoding', 'Content-Encoding': 'gzip' });
      await pipeline(Readable.from(rest), createGzip({ level: GZIP_LEVEL }), ctx.res);
    } else {
      ctx.res.writeHead(200, headers);
      await writeAll(ctx.res, rest);
    }
  } catch (error) {
    ctx.res.destroy(error instanceof Error ? error : undefined);
  }
}

async function writeAll(res: ServerResponse, pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of pieces) {
    if (res.destroyed) return;
    if (!res.write(piece)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
  }
  res.end();
}

async function* prepend(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** A Status as JSON; every error leaves through here. */
export function sendStatus(ctx: RequestContext, status: Status): void {
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    return;
  }
  const retry = status.details?.retryAfterSeconds;
  const body = Buffer.from(JSON.stringify(status));
  ctx.res.writeHead(status.code, {
    ...baseHeaders(ctx, 'application/json'),
    'Content-Length': body.length,
    ...(retry !== undefined && { 'Retry-After': retry }),
    ...(status.code === 401 && { 'WWW-Authenticate': 'Bearer' }),
  });
  ctx.res.end(body);
}

export const sendError = (ctx: RequestContext, error: StatusError): void => sendStatus(ctx, error.status);
