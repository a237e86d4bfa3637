import { parseStoredJson, stringifyJson } from '@orch/codec';
import { type ApiObject, ensureMetadata } from '@orch/machinery';
import type { Stored } from '../served/endpoint.js';
import type { PieceWriter } from './piece-writer.js';

/** How every stored body begins; what follows it is spliced behind the version. */
const OPENING = '{"metadata":{';

/** The stored form of an object: metadata first, without apiVersion, kind and resourceVersion. */
export function toStoredBody(object: ApiObject): Buffer {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _resourceVersion, ...meta } = metadata ?? {};
  return Buffer.from(stringifyJson({ metadata: meta, ...rest }));
}

/** The object of a stored body, as its storage version declares it, with its type and version filled in. */
export function fromStored(stored: Stored, apiVersion: string, kind: string): ApiObject {
  const object: ApiObject = { kind, apiVersion, ...parseStoredJson(stored.body) };
  if (stored.version !== 0n) ensureMetadata(object).resourceVersion = String(stored.version);
  return object;
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
