import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { JsonObject } from '@orch/machinery';
import { notAcceptable, unknownPath, weakMemo } from '@orch/resources';
import { OPENAPI_V3_PROTOBUF, OPENAPI_V3_PROTOBUF_CONTENT_TYPE } from '@orch/schema/openapi';
import { acceptsGzip, GZIP_MIN_BYTES } from '@orch/serving';
import type { Express, Request, Response } from 'express';
import { acceptedType } from './accepted-type.js';
import { type ByteRange, hasAlready, hasAny, rangeOf, wantsOther } from './conditions.js';
import { type OpenApiDocuments, V2_TYPES } from './openapi-documents.js';
import { JSON_TYPE, type Tagged, tagged } from './tagged.js';

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';
/** Paths of the documents that are not listed by another one. */
export const OPENAPI_PATHS: readonly string[] = [V2, V3];

const V3_TYPES = [JSON_TYPE, OPENAPI_V3_PROTOBUF, OPENAPI_V3_PROTOBUF_CONTENT_TYPE] as const;

/** Whether a path is that of a document of one group-version. */
export const isOpenApiV3Path = (path: string, documents: OpenApiDocuments): boolean =>
  path.startsWith(`${V3}/`) && documents.has(path.slice(V3.length + 1));

/** Made once, so that it is packed once, too. */
const written = weakMemo((index: JsonObject) => tagged(Buffer.from(JSON.stringify(index)), JSON_TYPE));

/** Adds the routes of OpenAPI documents to an app. @param documents returns those of the resources served now */
export function mountOpenApi(app: Express, documents: () => OpenApiDocuments): void {
  app.all(V3, async (req, res) => {
    await send(req, res, written(await documents().index()));
  });
  app.all(`${V3}/*path`, (req, res) => answerV3(req, res, documents()));
  app.all(V2, async (req, res) => {
    const type = typeFor(req, V2_TYPES);
    await send(req, res, await documents().v2[type]());
  });
}

async function answerV3(req: Request, res: Response, documents: OpenApiDocuments): Promise<void> {
  const path = ([] as string[]).concat(req.params.path ?? []).join('/');
  const document = documents.document(path);
  if (!document) throw unknownPath();
  const isJson = typeFor(req, V3_TYPES) === JSON_TYPE;
  const { bytes, hash } = await document.json();
  const asked = [req.query.hash].flat()[0] || hash;
  if (asked !== hash) {
    res.redirect(301, `${V3}/${path}?hash=${hash}`);
    return;
  }
  // A URL with the hash of the content may be cached for ever.
  if (req.query.hash)
    res.set('Cache-Control', 'public, immutable').set('Expires', new Date(Date.now() + 31_536_000_000).toUTCString());
  if (isJson) return send(req, res, { bytes, type: JSON_TYPE, tag: `"${hash}"` });
  const protobuf = await document.protobuf();
  await send(req, res, { bytes: protobuf, type: OPENAPI_V3_PROTOBUF_CONTENT_TYPE, tag: `"${hash}.protobuf"` });
}

/** @throws StatusError 406 */
function typeFor<T extends string>(req: Request, types: readonly T[]): T {
  const type = acceptedType(req.headers.accept, types);
  if (!type) throw notAcceptable(types);
  return type;
}

const gzipBuffer = promisify(gzip);
/** Compressed once each: documents change only with the served resources, and all clients fetch them. */
const packed = weakMemo((bytes: Buffer) => gzipBuffer(bytes, { level: constants.Z_BEST_COMPRESSION }));

async function send(req: Request, res: Response, document: Tagged): Promise<void> {
  const { bytes, type, tag } = document;
  res.set({ Vary: 'Accept, Accept-Encoding', ETag: tag, 'Accept-Ranges': 'bytes' });
  if (wantsOther(req, tag)) return void res.status(412).end();
  if (hasAlready(req, tag) || hasAny(req)) return void res.status(304).end();
  const range = rangeOf(req, tag, bytes.length);
  if (range) return sendPart(res, document, range);
  // Past express, which would add a charset that the media type does not have.
  res.setHeader('Content-Type', type);
  const short = bytes.length >= GZIP_MIN_BYTES && acceptsGzip(req);
  if (short) res.set('Content-Encoding', 'gzip');
  res.send(short ? await packed(bytes) : bytes);
}

/** Sends a byte range. Parts are not compressed: ranges count the bytes of the uncompressed document. */
function sendPart(res: Response, { bytes, type }: Tagged, range: ByteRange | 'none'): void {
  if (range === 'none') {
    const refused = res.status(416).set('Content-Range', `bytes */${bytes.length}`);
    return void refused.type('text/plain').send('invalid range');
  }
  const { from, to } = range;
  res.status(206).set('Content-Range', `bytes ${from}-${to}/${bytes.length}`).setHeader('Content-Type', type);
  res.send(bytes.subarray(from, to + 1));
}
