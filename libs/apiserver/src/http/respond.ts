import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { Status, StatusError } from '@orch/machinery';
import type { Representations } from '../representation/choose.js';
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
  if (ctx.warnings.length > 0) headers.Warning = warningHeaders(ctx.warnings);
  return headers;
}

/** Warnings of one answer together, and each of them when together they are longer, characters: clients bound headers. */
const WARNINGS_MAX = 4096;
const WARNING_MAX = 256;

/** Each text once, as many as fit. */
function warningHeaders(texts: readonly string[]): string[] {
  const headers: string[] = [];
  const distinct = [...new Set(texts)];
  const cut = distinct.reduce((sum, { length }) => sum + length, 0) > WARNINGS_MAX;
  let left = WARNINGS_MAX;
  for (const text of distinct) {
    const shown = cut ? text.slice(0, WARNING_MAX) : text;
    left -= shown.length;
    if (left < 0) break;
    headers.push(warningHeader(shown));
  }
  return headers;
}

/** RFC 7234 section 5.5: code, agent, quoted text. */
function warningHeader(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return `299 - "${clean}"`;
}

const acceptsGzip = (ctx: RequestContext): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(ctx.req.headers['accept-encoding'] ?? ''));

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
  try {
    await sendAll(ctx, contentType, iterator, compress);
  } finally {
    // Also when nothing was read of it: it may hold a connection to the database.
    await iterator.return?.();
  }
}

async function sendAll(
  ctx: RequestContext,
  contentType: string,
  iterator: AsyncIterator<Buffer>,
  compress: boolean,
): Promise<void> {
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
    if (!res.write(piece)) await drained(res);
  }
  res.end();
}

/** Resolves when more can be written, or nothing ever will be. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });

async function* prepend(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** What makes bytes of a Status. */
type StatusEncoder = Pick<Representations, 'status'>;

/** A Status, in the encoding that the client prefers; every error leaves through here. */
export function sendStatus(ctx: RequestContext, status: Status, representations: StatusEncoder): void {
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    return;
  }
  const retry = status.details?.retryAfterSeconds;
  const { contentType, body } = representations.status(ctx.req.headers.accept, status);
  ctx.res.writeHead(status.code, {
    ...baseHeaders(ctx, contentType),
    'Content-Length': body.length,
    ...(retry !== undefined && { 'Retry-After': retry }),
    ...(status.code === 401 && { 'WWW-Authenticate': 'Bearer' }),
  });
  ctx.res.end(body);
}

export const sendError = (ctx: RequestContext, error: StatusError, representations: StatusEncoder): void =>
  sendStatus(ctx, error.status, representations);
