import { parseStoredJson, stringifyJson } from '@orch/codec';
import { type ApiObject, ensureMetadata } from '@orch/machinery';
import type { Endpoint, Stored } from '../served/endpoint.js';
import type { PieceWriter } from './piece-writer.js';

/** How every stored body begins; what follows it is spliced behind the version. */
const OPENING = '{"metadata":{';

/** The stored form of an object of the storage version: metadata first, without apiVersion, kind and resourceVersion. */
export function toStoredBody(object: ApiObject, { form }: Pick<Endpoint, 'form'>): Buffer {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = form.fromHub?.(object) ?? object;
  const { resourceVersion: _resourceVersion, ...meta } = metadata ?? {};
  return Buffer.from(stringifyJson({ metadata: meta, ...rest }));
}

/**
 * The object of a stored body, as the storage version declares it whichever version it lies in, with its type and version
 * filled in.
 * @throws ConversionError for a body of a version that this release does not know
 */
export function fromStored(
  stored: Stored,
  endpoint: Pick<Endpoint, 'form' | 'storage' | 'storageApiVersion'>,
): ApiObject {
  const { form, storage, storageApiVersion: apiVersion } = endpoint;
  const object: ApiObject = { kind: storage.kind, apiVersion, ...parseStoredJson(stored.body) };
  if (stored.version !== 0n) ensureMetadata(object).resourceVersion = String(stored.version);
  return form.toHub(form.versionOf(stored))?.(object) ?? object;
}

/** `{"kind":…,"apiVersion":…,`: what stands before the metadata of an object on the wire. */
export function typePrefix(apiVersion: string, kind: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** An object that a dry run would have created has no version. */
const versionMember = ({ version }: Stored): string => (version === 0n ? '' : `"resourceVersion":"${version}",`);

/**
 * An object's JSON by concatenation, with no parse and no stringify.
 * @param prefix `{` for items of a list, {@link typePrefix} elsewhere
 */
export function spliceJson(prefix: string, stored: Stored): Buffer {
  const head = `${prefix}"metadata":{${versionMember(stored)}`;
  const body = stored.body;
  const out = Buffer.allocUnsafe(head.length + body.length - OPENING.length);
  out.write(head, 0, 'latin1');
  body.copy(out, head.length, OPENING.length);
  return out;
}

/** {@link spliceJson} of a list's item, written in place. */
export function spliceJsonInto(out: PieceWriter, separator: string, stored: Stored): void {
  out.ascii(`${separator}{"metadata":{${versionMember(stored)}`);
  out.bytes(stored.body, OPENING.length);
}
