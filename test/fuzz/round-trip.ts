import {
  decodeProtobufObject,
  decodeYamlObject,
  encodeObject,
  encodeUnknown,
  readObject,
  stringifyYaml,
} from '@orch/codec';
import type { ResourceDefinition } from '@orch/schema';
import type { Answer, Api, ApiObject, StatusObject } from '../support/api.js';
import type { GeneratedObject } from './arbitrary-object.js';
import { canonical, expectSame, RoundTripError } from './same.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const YAML = 'application/yaml';
const NAMESPACE = 'default';

export function collectionOf({ group, version, resource, namespaced }: ResourceDefinition): string {
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return namespaced ? `${root}/namespaces/${NAMESPACE}/${resource}` : `${root}/${resource}`;
}

/**
 * Creates an object, reads it in every encoding, and writes back what was read in each: all must be the same, and writing
 * the same must change nothing.
 * @returns whether the server took the object; a refusal is well-formed, or this throws
 * @throws RoundTripError
 */
export async function roundTrip(api: Api, definition: ResourceDefinition, object: GeneratedObject): Promise<boolean> {
  const collection = collectionOf(definition);
  const created = await api.post(`${collection}?fieldValidation=Strict`, object);
  if (created.status !== 201) {
    expectRefusal(created);
    return false;
  }
  const path = `${collection}/${object.metadata.name}`;
  try {
    await expectAllSame(api, definition, path);
  } finally {
    const gone = await api.delete(path, { gracePeriodSeconds: 0 });
    if (gone.status >= 400) expectRefusal(gone);
  }
  return true;
}

/** 4xx with a Status that says so. */
export function expectRefusal({ status, text }: Answer): void {
  let body: Partial<StatusObject> = {};
  try {
    body = JSON.parse(text) as Partial<StatusObject>;
  } catch {
    // Judged below.
  }
  const wellFormed = body.kind === 'Status' && body.code === status && typeof body.message === 'string';
  if (status < 400 || status >= 500 || !wellFormed)
    throw new RoundTripError(`refused with ${status} ${text.slice(0, 500)}`);
}

/** Times that an object is read anew which the server itself has written to meanwhile, as to the count of a quota. */
const READS = 10;

async function expectAllSame(api: Api, definition: ResourceDefinition, path: string, reads = READS): Promise<void> {
  const { schema } = definition;
  const json = await read(api, path, 'application/json');
  const stored = json.json<ApiObject>();
  const model = readObject(schema, json.json()).object;
  const [binary, yaml] = [await read(api, path, PROTOBUF), await read(api, path, YAML)];
  const isAnother = (await read(api, path, 'application/json')).text !== json.text;
  if (isAnother && reads > 1) return expectAllSame(api, definition, path, reads - 1);
  const decoded = decodeProtobufObject(schema, binary.body);
  expectSame('protobuf', decoded, model);
  expectSame('YAML', decodeYamlObject(schema, yaml.body).object, model);
  const { apiVersion, kind } = stored;
  const again: readonly (readonly [string, string | Buffer])[] = [
    ['application/json', json.body],
    [YAML, stringifyYaml(stored)],
    [PROTOBUF, encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, decoded) })],
  ];
  for (const [contentType, body] of again) {
    const put = await api.request('PUT', path, { body, headers: { 'content-type': contentType } });
    // Some kinds are not replaced, whatever they are replaced by.
    if (put.status === 405) return;
    if (put.status === 409 && reads > 1) return expectAllSame(api, definition, path, reads - 1);
    if (put.status !== 200)
      throw new RoundTripError(`PUT of what was read as ${contentType}: ${put.status} ${put.text}`);
    expectUnchanged(contentType, stored, put.json<ApiObject>());
  }
}

/** Not even a version is drawn. Zeros don't count, as the forms differ in which they write. */
function expectUnchanged(contentType: string, before: ApiObject, after: ApiObject): void {
  if (canonical(before) !== canonical(after)) {
    throw new RoundTripError(
      `PUT of what was read as ${contentType} changed ${canonical(before)} to ${canonical(after)}`,
    );
  }
}

async function read(api: Api, path: string, accept: string): Promise<Answer> {
  const answer = await api.get(path, { accept });
  if (answer.status !== 200) throw new RoundTripError(`GET as ${accept}: ${answer.status} ${answer.text}`);
  return answer;
}
