import type { JsonObject } from '@orch/machinery';
import { inSlices } from '@orch/runtime/work';
import type { Steps } from '@orch/schema';
import {
  encodeOpenApiV2Protobuf,
  encodeOpenApiV3Protobuf,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V2_PROTOBUF_CONTENT_TYPE,
  type OpenApiSource,
  OpenApiV3,
  openApiV2Document,
} from '@orch/schema/openapi';
import { type JsonBytes, jsonBytes } from './json-bytes.js';
import { withParts } from './openapi-v2-merge.js';
import { NO_REMOTE_DOCUMENTS, type RemoteDocuments } from './remote-documents.js';
import { sha512 } from './sha512.js';
import { JSON_TYPE, lazily, type Tagged } from './tagged.js';

/** Media types of `/openapi/v2`. */
export const V2_TYPES = [JSON_TYPE, OPENAPI_V2_PROTOBUF, OPENAPI_V2_PROTOBUF_CONTENT_TYPE] as const;

/** A value that is made in slices on first use, once for all callers. */
type Made<T> = () => Promise<T>;
const made = <T>(steps: () => Steps<T>): Made<T> => lazily(async () => inSlices(steps()));

/** The document of one group-version in its forms. */
interface PublishedDocument {
  readonly json: Made<JsonBytes>;
  readonly protobuf: Made<Buffer>;
}

/** The previous documents, from which unchanged ones are reused. */
export interface KeptDocuments {
  /** Documents of the previous set of served resources. */
  last?: OpenApiDocuments;
}

/** The OpenAPI documents of one set of served resources, each made on first use: together they may be very large. */
export class OpenApiDocuments {
  /** The OpenAPI 2.0 document by media type. */
  readonly v2: Readonly<Record<(typeof V2_TYPES)[number], Made<Tagged>>>;
  /** The response to `/openapi/v3`: the URL of each document, with its hash, so that clients may cache it for ever. */
  readonly index: Made<JsonObject>;
  readonly #v3: () => OpenApiV3;
  readonly #documents = new Map<string, PublishedDocument>();

  /** @param remote documents of other servers */
  constructor(
    source: OpenApiSource,
    kept: KeptDocuments,
    private readonly remote: RemoteDocuments = NO_REMOTE_DOCUMENTS,
  ) {
    const binary = made(() => v2Protobuf(source, remote));
    const json = made(() => v2Json(source, remote));
    this.v2 = { [JSON_TYPE]: json, [OPENAPI_V2_PROTOBUF]: binary, [OPENAPI_V2_PROTOBUF_CONTENT_TYPE]: binary };
    this.#v3 = lazily(() => {
      const v3 = new OpenApiV3(source);
      if (kept.last) this.#takeOver(kept.last, v3);
      kept.last = this;
      return v3;
    });
    this.index = lazily(() => this.#index());
  }

  /** Whether there is a document of a group-version, or of a path of discovery above them; makes none. */
  has(path: string): boolean {
    return this.#v3().has(path);
  }

  /**
   * Returns the document of `api/v1` or `apis/<group>/<version>`, or of the discovery above them; undefined for a path
   * that is not served.
   */
  document(path: string): PublishedDocument | undefined {
    const v3 = this.#v3();
    if (!v3.has(path)) return undefined;
    const known = this.#documents.get(path);
    if (known) return known;
    const json = made(() => v3Json(v3, path));
    const document = { json, protobuf: made(() => v3Protobuf(v3, path)) };
    this.#documents.set(path, document);
    return document;
  }

  #takeOver(before: OpenApiDocuments, v3: OpenApiV3): void {
    for (const [path, document] of before.#documents) {
      if (before.#v3().describesTheSame(path, v3)) this.#documents.set(path, document);
    }
  }

  async #index(): Promise<JsonObject> {
    const entries: [string, JsonObject][] = [];
    const { openApiV3 } = this.remote;
    for (const path of this.#v3().paths) {
      if (openApiV3.has(path)) continue;
      const { hash = '' } = (await this.document(path)?.json()) ?? {};
      entries.push([path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
    }
    for (const [path, serverRelativeURL] of openApiV3) entries.push([path, { serverRelativeURL }]);
    return { paths: Object.fromEntries(entries) };
  }
}

function* v2Document(source: OpenApiSource, { openApiV2 }: RemoteDocuments): Steps<JsonObject> {
  return yield* withParts(yield* openApiV2Document(source), openApiV2);
}

function* v2Json(source: OpenApiSource, remote: RemoteDocuments): Steps<Tagged> {
  const { bytes, hash } = yield* jsonBytes(yield* v2Document(source, remote));
  return { bytes, type: JSON_TYPE, tag: `"${hash}"` };
}

function* v2Protobuf(source: OpenApiSource, remote: RemoteDocuments): Steps<Tagged> {
  const bytes = yield* encodeOpenApiV2Protobuf(yield* v2Document(source, remote));
  return { bytes, type: OPENAPI_V2_PROTOBUF_CONTENT_TYPE, tag: `"${yield* sha512(bytes)}"` };
}

function* v3Json(v3: OpenApiV3, path: string): Steps<JsonBytes> {
  return yield* jsonBytes(yield* v3.document(path));
}

/** Encodes from a document that is built once more: few clients ask for it, and the built document is not kept. */
function* v3Protobuf(v3: OpenApiV3, path: string): Steps<Buffer> {
  return yield* encodeOpenApiV3Protobuf(yield* v3.document(path));
}
