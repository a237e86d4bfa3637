import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Status, StatusError } from '@orch/machinery';
import { bytesOf, type Piece, type Representations, sizeOf } from '@orch/resources';
import { Slices } from '@orch/runtime/work';
import type { AuditRecord } from './audit-record.js';
import { cutOff, isGone, type RequestContext } from './context.js';
import { gzipped } from './gzip-body.js';

/** Responses below this size are sent uncompressed: compressing them costs more than it saves. */
export const GZIP_MIN_BYTES = 128 * 1024;
const GZIP_LEVEL = constants.Z_BEST_SPEED;
const gzipBuffer = promisify(gzip);

/** Headers of every response of the API. */
export function baseHeaders(ctx: RequestContext, contentType: string): Record<string, string | string[] | number> {
  ctx.trail?.mark('answering');
  const headers: Record<string, string | string[] | number> = {
    'Audit-Id': ctx.requestId,
    'Cache-Control': 'no-cache, private',
    'Content-Type': contentType,
  };
  if (ctx.warnings.length > 0) headers.Warning = warningHeaders(ctx.warnings);
  return headers;
}

/**
 * Maximum length of all warnings of one response, and of each one when together they are longer, characters: clients
 * bound headers.
 */
const WARNINGS_MAX = 4096;
const WARNING_MAX = 256;

/** Returns each text once, as many as fit. */
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

/** Whether the client accepts gzip. */
export const acceptsGzip = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''));

/** Sends a complete body. `compress` is for reads only (spec: "Response compression"). */
export async function sendBytes(
  ctx: RequestContext,
  code: number,
  contentType: string,
  body: Buffer,
  compress = false,
): Promise<void> {
  ctx.audit?.answered(contentType, body);
  const headers = baseHeaders(ctx, contentType);
  if (compress && body.length >= GZIP_MIN_BYTES && acceptsGzip(ctx.req)) {
    const packed = await gzipBuffer(body, { level: GZIP_LEVEL });
    ctx.res.writeHead(code, {
      ...headers,
      Vary: 'Accept-Encoding',
      'Content-Encoding': 'gzip',
      'Content-Length': packed.length,
    });
    if (ctx.trail) ctx.trail.bytes = packed.length;
    ctx.res.end(packed);
    return;
  }
  if (ctx.trail) ctx.trail.bytes = body.length;
  ctx.res.writeHead(code, { ...headers, 'Content-Length': body.length });
  ctx.res.end(body);
}

/**
 * Sends a body in pieces, as fast as the client reads. A body too short to be compressed goes out whole. Errors before
 * that much has arrived are the caller's to answer; after it the connection is cut, as the answer cannot be corrected.
 */
export async function sendPieces(
  ctx: RequestContext,
  contentType: string,
  pieces: AsyncIterable<Piece>,
  compress: boolean,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    const { begin, ended } = await beginning(iterator);
    // The request timed out meanwhile, and was answered so.
    if (ctx.res.headersSent) return;
    if (ended) await sendBytes(ctx, 200, contentType, Buffer.concat(begin.map(bytesOf)), compress);
    else await stream(ctx, contentType, noted(ctx, contentType, prepend(begin, iterator)), compress);
  } finally {
    // Also if nothing was read: the iterator may hold a connection to the database.
    await iterator.return?.();
  }
}

/** Reads as many pieces as it takes to know whether the body is long. */
async function beginning(iterator: AsyncIterator<Piece>): Promise<{ begin: Piece[]; ended: boolean }> {
  const begin: Piece[] = [];
  let size = 0;
  while (size < GZIP_MIN_BYTES) {
    const next = await iterator.next();
    if (next.done) return { begin, ended: true };
    begin.push(next.value);
    size += sizeOf(next.value);
  }
  return { begin, ended: false };
}

async function stream(
  ctx: RequestContext,
  contentType: string,
  pieces: AsyncIterable<Piece>,
  compress: boolean,
): Promise<void> {
  const headers = baseHeaders(ctx, contentType);
  try {
    if (compress && acceptsGzip(ctx.req)) {
      ctx.res.writeHead(200, { ...headers, Vary: 'Accept-Encoding', 'Content-Encoding': 'gzip' });
      await writeAll(ctx, gzipped(pieces));
    } else {
      ctx.res.writeHead(200, headers);
      await writeAll(ctx, pieces);
    }
  } catch {
    cutOff(ctx);
  }
}

/** Records a body for the audit log if required there, unless it is too long. */
function noted(ctx: RequestContext, contentType: string, pieces: AsyncIterable<Piece>): AsyncIterable<Piece> {
  return ctx.audit?.wantsAnswer ? keeping(ctx.audit, contentType, pieces) : pieces;
}

async function* keeping(audit: AuditRecord, contentType: string, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += sizeOf(piece);
    if (size <= audit.maxBodyBytes) kept.push(bytesOf(piece));
    else kept.length = 0;
    yield piece;
  }
  if (size > audit.maxBodyBytes) audit.answerLeftOut();
  else audit.answered(contentType, Buffer.concat(kept));
}

async function writeAll(ctx: RequestContext, pieces: AsyncIterable<Piece>): Promise<void> {
  const { res, seat } = ctx;
  const slices = new Slices();
  for await (const piece of pieces) {
    // Shared pieces are encoded here.
    await slices.between();
    if (isGone(ctx)) return;
    const bytes = bytesOf(piece);
    if (ctx.trail) ctx.trail.bytes += bytes.length;
    if (res.write(bytes)) continue;
    seat?.rest();
    await drained(res);
    await seat?.workOn();
  }
  res.end();
  seat?.rest();
}

/** Resolves when more can be written, or when the response is closed. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });

async function* prepend(first: readonly Piece[], rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Encodes a Status. */
type StatusEncoder = Pick<Representations, 'status'>;

/** Sends a Status, in the encoding that the client prefers; all error responses are sent here. */
export function sendStatus(ctx: RequestContext, status: Status, representations: StatusEncoder): void {
  if (ctx.res.headersSent) {
    cutOff(ctx);
    return;
  }
  ctx.audit?.answeredStatus(status);
  const retry = status.details?.retryAfterSeconds;
  const { contentType, body } = representations.status(ctx.req.headers.accept, status);
  if (ctx.trail) ctx.trail.bytes = body.length;
  ctx.res.writeHead(status.code, {
    ...baseHeaders(ctx, contentType),
    'Content-Length': body.length,
    ...(retry !== undefined && { 'Retry-After': retry }),
    ...(status.code === 401 && { 'WWW-Authenticate': 'Bearer' }),
  });
  ctx.res.end(body);
}

/** Sends the Status of an error, see {@link sendStatus}. */
export const sendError = (ctx: RequestContext, error: StatusError, representations: StatusEncoder): void =>
  sendStatus(ctx, error.status, representations);
