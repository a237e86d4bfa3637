import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { stringifyJson } from '@orch/codec';
import {
  encodeOpenApiV2Protobuf,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V2_PROTOBUF_CONTENT_TYPE,
  OPENAPI_V3_PROTOBUF,
  OPENAPI_V3_PROTOBUF_CONTENT_TYPE,
  type OpenApiSource,
  OpenApiV3,
  openApiV2Document,
} from '@orch/schema/openapi';
import type { Express, Request, Response } from 'express';
import { inSlices } from '../decoding/turns.js';
import { notAcceptable, unknownPath } from '../http/errors.js';
import { acceptsGzip, GZIP_MIN_BYTES } from '../http/respond.js';
import { weakMemo } from '../weak-memo.js';
import { acceptedType } from './accepted-type.js';
import { lazily, type Tagged, tagged } from './tagged.js';

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';
/** Where the documents are that are no other's parts. */
export const OPENAPI_PATHS: readonly string[] = [V2, V3];

/** The OpenAPI documents of one set of served resources, each made when it is first asked for. */
export interface OpenApiDocuments {
  readonly v3: () => OpenApiV3;
  readonly v2: Readonly<Record<OpenApiV2Type, () => Tagged>>;
  /** Whether a path is that of a document of one group-version. */
  has(path: string): boolean;
}

const JSON_TYPE = 'application/json';
const V2_TYPES = [JSON_TYPE, OPENAPI_V2_PROTOBUF, OPENAPI_V2_PROTOBUF_CONTENT_TYPE] as const;
type OpenApiV2Type = (typeof V2_TYPES)[number];
const V3_TYPES = [JSON_TYPE, OPENAPI_V3_PROTOBUF, OPENAPI_V3_PROTOBUF_CONTENT_TYPE] as const;

/** The documents that were made last, of which those are taken over that are still the same. */
export interface KeptDocuments {
  v3?: OpenApiV3;
}

export function openApiDocuments(source: OpenApiSource, kept: KeptDocuments): OpenApiDocuments {
  const v3 = lazily(() => {
    kept.v3 = new OpenApiV3(source, kept.v3);
    return kept.v3;
  });
  const document = lazily(() => openApiV2Document(source));
  const json = lazily(() => tagged(Buffer.from(stringifyJson(document())), JSON_TYPE));
  const binary = lazily(() =>
    tagged(Buffer.from(encodeOpenApiV2Protobuf(document())), OPENAPI_V2_PROTOBUF_CONTENT_TYPE),
  );
  return {
    v3,
    v2: { [JSON_TYPE]: json, [OPENAPI_V2_PROTOBUF]: binary, [OPENAPI_V2_PROTOBUF_CONTENT_TYPE]: binary },
    has: (path) => path.startsWith(`${V3}/`) && v3().has(path.slice(V3.length + 1)),
  };
}

export function mountOpenApi(app: Express, documents: () => OpenApiDocuments): void {
  app.get(V3, async (_req, res) => void res.json(await inSlices(documents().v3().index())));
  app.get(`${V3}/*path`, (req, res) => answerV3(req, res, documents().v3()));
  app.get(V2, (req, res) => {
    const type = typeFor(req, V2_TYPES);
    return send(req, res, documents().v2[type]());
  });
}

async function answerV3(req: Request, res: Response, documents: OpenApiV3): Promise<void> {
  const path = ([] as string[]).concat(req.params.path ?? []).join('/');
  const document = documents.document(path);
  if (!document) throw unknownPath();
  const isJson = typeFor(req, V3_TYPES) === JSON_TYPE;
  const asked = [req.query.hash].flat()[0] || document.hash;
  if (asked !== document.hash) {
    res.redirect(301, `${V3}/${path}?hash=${document.hash}`);
    return;
  }
  // A URL that names the content may be kept for ever.
  if (req.query.hash)
    res.set('Cache-Control', 'public, immutable').set('Expires', new Date(Date.now() + 31_536_000_000).toUTCString());
  const { hash, json, protobuf } = document;
  if (isJson) await send(req, res, { bytes: json, type: JSON_TYPE, tag: `"${hash}"` });
  else await send(req, res, { bytes: protobuf(), type: OPENAPI_V3_PROTOBUF_CONTENT_TYPE, tag: `"${hash}.protobuf"` });
}

/** @throws StatusError 406 */
function typeFor<T extends string>(req: Request, types: readonly T[]): T {
  const type = acceptedType(req.headers.accept, types);
  if (!type) throw notAcceptable(types);
  return type;
}

const gzipBuffer = promisify(gzip);
/** Made once, and small: they change with what is served, and all clients ask for them. */
const packed = weakMemo((bytes: Buffer) => gzipBuffer(bytes, { level: constants.Z_BEST_COMPRESSION }));

async function send(req: Request, res: Response, { bytes, type, tag }: Tagged): Promise<void> {
  res.set({ Vary: 'Accept, Accept-Encoding', ETag: tag });
  // Past express, which would add a charset that the media type does not have.
  res.setHeader('Content-Type', type);
  const short = bytes.length >= GZIP_MIN_BYTES && acceptsGzip(req);
  if (short) res.set('Content-Encoding', 'gzip');
  res.send(short ? await packed(bytes) : bytes);
}
