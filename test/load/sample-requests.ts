import { ObjectCodec } from '@orch/codec';
import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { requestBytes } from './connection.js';
import type { RequestLoad } from './request-load.js';
import { NAME_LENGTH, NUMBER_LENGTH, type Sample, sampleName, sampleObject, type Wire } from './samples.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** Variants that updates go round, so that each one changes its object. */
const VARIANTS = 7;
const METHODS = { create: 'POST', update: 'PUT', get: 'GET', delete: 'DELETE' } as const;

/** A request whose number of the object and version are replaced in place. */
interface Template {
  readonly bytes: Buffer;
  readonly numbers: readonly number[];
  /** Place of the version, if there is one. */
  readonly version: number;
}

/**
 * Requests of a load whose bodies are encoded once for each variant and length of the version: a request costs the client a
 * copy of its bytes.
 */
export class SampleRequests {
  readonly #templates = new Map<number, Template>();
  readonly #turns: number[] = [];

  constructor(
    private readonly load: RequestLoad,
    private readonly sample: Sample,
  ) {}

  /** Returns the request for an object. @param version the one that an update replaces */
  of(object: number, version = ''): Buffer {
    const turn = (this.#turns[object] ?? 0) + 1;
    this.#turns[object] = turn;
    const variant = this.load.verb === 'update' ? turn % VARIANTS : 0;
    const { bytes, numbers, version: place } = this.#template(variant, version.length);
    const request = Buffer.from(bytes);
    const digits = object.toString().padStart(NUMBER_LENGTH, '0');
    for (const at of numbers) request.write(digits, at, 'latin1');
    if (version !== '') request.write(version, place, 'latin1');
    return request;
  }

  #template(variant: number, versionLength: number): Template {
    const key = variant + VARIANTS * versionLength;
    const made = this.#templates.get(key) ?? this.#make(variant, versionLength);
    this.#templates.set(key, made);
    return made;
  }

  #make(variant: number, versionLength: number): Template {
    const bytes = this.#request(variant, '1'.repeat(versionLength));
    const other = this.#request(variant, '2'.repeat(versionLength));
    const name = sampleName(this.load.prefix, 0);
    const numbers: number[] = [];
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1))
      numbers.push(at + NAME_LENGTH - NUMBER_LENGTH);
    return { bytes, numbers, version: bytes.findIndex((byte, at) => byte !== other[at]) };
  }

  #request(variant: number, version: string): Buffer {
    const { endpoint, resource, verb, prefix } = this.load;
    const { wire, subresource } = this.sample;
    const method = METHODS[verb as keyof typeof METHODS];
    const name = sampleName(prefix, 0);
    const headers: Record<string, string> = wire === 'protobuf' ? { Accept: PROTOBUF, 'Content-Type': PROTOBUF } : {};
    const object = sampleObject(this.sample, name, variant, version === '' ? undefined : version);
    if (verb === 'create') return requestBytes(endpoint, method, resource.path, encoded(object, wire), headers);
    const path = `${resource.path}/${name}`;
    if (verb !== 'update') return requestBytes(endpoint, method, path, undefined, headers);
    return requestBytes(
      endpoint,
      method,
      subresource ? `${path}/${subresource}` : path,
      encoded(object, wire),
      headers,
    );
  }
}

let codec: ObjectCodec | undefined;

function encoded(object: ApiObject, wire: Wire): string | Buffer {
  if (wire === 'json') return JSON.stringify(object);
  codec ??= new ObjectCodec(loadScheme(namesOf('kubernetes')), PROTOBUF);
  const bytes = codec.encode(object);
  if (!bytes) throw new Error(`a ${object.kind} has no binary form`);
  return bytes;
}
