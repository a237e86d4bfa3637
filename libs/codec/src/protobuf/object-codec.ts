import { type ApiObject, parseApiVersion } from '@orch/machinery';
import { fullObject, type Scheme, type StructSchema } from '@orch/schema';
import { decodeObject } from './decode-object.js';
import { encodeObject } from './encode-object.js';
import { decodeUnknown, encodeUnknown } from './envelope.js';
import { ProtobufError } from './protobuf-error.js';
import { LENGTH_DELIMITED } from './wire.js';
import { WireReader } from './wire-reader.js';

/** An event of a watch, decoded. */
interface DecodedEvent {
  readonly type: string;
  readonly object: ApiObject;
}

/**
 * Binary form of the built-in kinds for clients: objects as JSON answers hold them, to and from whole documents.
 * Integers beyond 2^53 are decoded as bigint.
 */
export class ObjectCodec {
  /** @param mediaType of the binary form in the names of the installation */
  constructor(
    private readonly scheme: Pick<Scheme, 'kind'>,
    readonly mediaType: string,
  ) {}

  /**
   * Encodes an object; undefined where it has no binary form: kinds that are not built in, objects without `kind` or
   * `apiVersion`, and values that their schema does not allow. Fields that the kind does not have are left out.
   */
  encode(object: ApiObject): Buffer | undefined {
    const { apiVersion = '', kind = '' } = object;
    const schema = this.#schema(apiVersion, kind);
    if (!schema) return undefined;
    try {
      return encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, object) });
    } catch (error) {
      if (error instanceof ProtobufError) return undefined;
      throw error;
    }
  }

  /** Decodes a document. @throws ProtobufError for an invalid one, and for kinds that are not built in */
  decode(bytes: Uint8Array): ApiObject {
    const { apiVersion, kind, raw } = decodeUnknown(bytes);
    const schema = this.#schema(apiVersion, kind);
    if (!schema) throw new ProtobufError(`the kind ${kind} of ${apiVersion} has no known binary form`);
    const type = { ...(kind && { kind }), ...(apiVersion && { apiVersion }) };
    const object = fullObject(schema, decodeObject(schema, raw, type) as ApiObject);
    // Binary messages leave out what is empty; lists in JSON always have their items.
    return isList(kind, schema) ? { ...object, items: (object as { items?: unknown }).items ?? [] } : object;
  }

  /** Decodes a frame of a watch, without its length. @throws ProtobufError */
  decodeEvent(frame: Buffer): DecodedEvent {
    const reader = new WireReader(frame);
    let type = '';
    let object: Buffer | undefined;
    while (reader.pos < reader.end) {
      const tag = reader.uint32();
      if (tag === TYPE_FIELD) type = reader.string();
      else if (tag === OBJECT_FIELD) object = rawOf(reader);
      else reader.skip(tag & 7);
    }
    if (!object) throw new ProtobufError('an event has no object');
    return { type, object: this.decode(object) };
  }

  #schema(apiVersion: string, kind: string): StructSchema | undefined {
    const version = parseApiVersion(apiVersion);
    return version && this.scheme.kind(version.group, version.version, kind)?.schema;
  }
}

const isList = (kind: string, { fields }: StructSchema): boolean => kind.endsWith('List') && fields.has('items');

const TYPE_FIELD = (1 << 3) | LENGTH_DELIMITED;
const OBJECT_FIELD = (2 << 3) | LENGTH_DELIMITED;

/** Reads the bytes in field 1 of a message. */
function rawOf(reader: WireReader): Buffer | undefined {
  const outer = reader.enter();
  let raw: Buffer | undefined;
  while (reader.pos < reader.end) {
    const tag = reader.uint32();
    if (tag === TYPE_FIELD) raw = reader.bytes();
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
  return raw;
}
