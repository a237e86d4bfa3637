import {
  type Accepted,
  type Encoding,
  encodeObject,
  encodeUnknown,
  type Negotiator,
  negotiate,
  negotiator,
  stringifyYaml,
} from '@orch/codec';
import { badRequest, type Names, notSupported, type Status, StatusError } from '@orch/machinery';
import type { Endpoint } from '../served/endpoint.js';
import { notAcceptable } from '../status-errors.js';
import { type IncludeObject, partialShape, type Shape, selfShape, tableShape } from '../stored/shape.js';
import { weakMemo } from '../stored/weak-memo.js';
import { jsonRepresentation } from './json.js';
import type { PieceCache } from './piece-cache.js';
import { type MetaSchemas, protobufRepresentation } from './protobuf.js';
import type { Representation } from './representation.js';
import { yamlRepresentation } from './yaml.js';

const INCLUDE: readonly IncludeObject[] = ['None', 'Metadata', 'Object'];

/** An encoded Status. */
interface EncodedStatus {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Content of a response. */
type Shown = 'object' | 'list';

/** @throws StatusError 406 for list metadata when the response is one object, and vice versa */
function checkShown({ definition: { kind, listKind } }: Endpoint, as: string | undefined, shown: Shown): void {
  if (as === 'PartialObjectMetadata' && shown === 'list')
    throw new StatusError('NotAcceptable', `you requested ${as}, but the requested object is a list (${listKind})`);
  if (as === 'PartialObjectMetadataList' && shown === 'object')
    throw new StatusError('NotAcceptable', `you requested ${as}, but the requested object is not a list (${kind})`);
}

/**
 * Selects the representation of an endpoint's objects for an `Accept` header; representations are created once and
 * shared.
 */
export class Representations {
  readonly #negotiatePlain: Negotiator;
  readonly #madeFor = weakMemo((_endpoint: Endpoint) => ({
    number: ++this.#endpoints,
    byKey: new Map<string, Representation>(),
  }));
  /** Number of endpoints so far; makes keys differ between schemas, whose encodings of the same objects differ. */
  #endpoints = 0;

  constructor(
    private readonly names: Names,
    private readonly meta: MetaSchemas,
    private readonly now: () => number,
    /** Cache of the encoded bytes of lists that are requested repeatedly. */
    private readonly pieces: PieceCache,
  ) {
    this.#negotiatePlain = negotiator({ encodings: ['json', 'yaml', 'protobuf'], canShowAs: () => false }, names);
  }

  /**
   * @param shown content of the response, unless it is a watch
   * @throws StatusError 406 when no encoding is acceptable to the client, 400 for an unknown `includeObject`
   */
  choose(endpoint: Endpoint, accept: string | undefined, query: URLSearchParams, shown?: Shown): Representation {
    const textOnly = endpoint.model.struct === undefined;
    const accepted = negotiate(accept, this.names, textOnly) ?? this.#notAcceptable(textOnly);
    if (shown !== undefined) checkShown(endpoint, accepted.as?.kind, shown);
    const include = accepted.as?.kind === 'Table' ? this.#includeObject(query) : 'Metadata';
    const version = accepted.as?.version ?? '';
    const key = `${accepted.mediaType};${accepted.as?.kind ?? ''};${version};${include}`;
    const { number, byKey } = this.#madeFor(endpoint);
    let representation = byKey.get(key);
    if (!representation) {
      representation = this.#make(endpoint, accepted, version, include, `${number};${key}`);
      byKey.set(key, representation);
    }
    return representation;
  }

  /** Returns the encoding for an object that has no other representation than itself. @throws StatusError 406 */
  plain(accept: string | undefined): Encoding {
    return (this.#negotiatePlain(accept) ?? this.#notAcceptable(false)).mediaType;
  }

  #notAcceptable(textOnly: boolean): never {
    throw notAcceptable(['application/json', 'application/yaml', ...(textOnly ? [] : [this.names.protobufMediaType])]);
  }

  /** 406 for encodings without watch streams. */
  streamsNotAcceptable(): StatusError {
    return notAcceptable(['application/json', this.names.protobufMediaType].map((type) => `${type};stream=watch`));
  }

  /** Encodes a Status as the client prefers; as JSON for clients that accept no encoding that is served. */
  status(accept: string | undefined, status: Status): EncodedStatus {
    switch (negotiate(accept, this.names)?.mediaType) {
      case 'protobuf': {
        const { kind, apiVersion } = status;
        const raw = encodeObject(this.meta.status, { ...status });
        return { contentType: this.names.protobufMediaType, body: encodeUnknown({ apiVersion, kind, raw }) };
      }
      case 'yaml':
        return { contentType: 'application/yaml', body: Buffer.from(stringifyYaml(status)) };
      default:
        return { contentType: 'application/json', body: Buffer.from(JSON.stringify(status)) };
    }
  }

  #make(endpoint: Endpoint, accepted: Accepted, version: string, include: IncludeObject, key: string): Representation {
    const shape = this.#shape(endpoint, accepted, version, include);
    const schema = shape.name === 'partial' ? this.meta.partialObjectMetadata : endpoint.model.struct;
    if (accepted.mediaType === 'protobuf' && schema)
      return protobufRepresentation(schema, endpoint, shape, this.names, this.meta, this.pieces, key);
    const json = jsonRepresentation(endpoint, shape, this.names, this.pieces, key);
    return accepted.mediaType === 'yaml' ? yamlRepresentation(json, key) : json;
  }

  #shape(endpoint: Endpoint, { as }: Accepted, version: string, include: IncludeObject): Shape {
    if (!as) return selfShape(endpoint);
    if (as.kind === 'Table') return tableShape(endpoint, this.names, version, include, this.now);
    return partialShape(endpoint, this.names, version);
  }

  #includeObject(query: URLSearchParams): IncludeObject {
    const value = query.get('includeObject') || 'Metadata';
    const found = INCLUDE.find((include) => include === value);
    if (!found) {
      const { message } = notSupported('includeObject', value, INCLUDE);
      throw badRequest(`Unable to convert to Table as requested: includeObject: ${message}`);
    }
    return found;
  }
}
