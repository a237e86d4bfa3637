import { expect, test } from 'vitest';
import { conformance, expectStatus } from './conformance.js';

/**
 * Data of a revision as a client may send it: blanks, needless escapes, integer-like names, all sorts of numbers, a
 * duplicate name.
 */
const SENT =
  '{"b" : {"10":1,"9": "x&y<z>\\u0026 \\u003c \\u2028 \u2028 \\u0041 \\/ \\b\\f\\n"},\n "a":12345678901234567890, "n":9007199254740993, "f":1.0, "e":1e3, "dup":1, "dup":2}';
/** The same within a document in JSON, as release 1.27 answers it. */
const EMBEDDED =
  '{"b":{"10":1,"9":"x\\u0026y\\u003cz\\u003e\\u0026 \\u003c \\u2028 \\u2028 \\u0041 \\/ \\b\\f\\n"},"a":12345678901234567890,"n":9007199254740993,"f":1.0,"e":1e3,"dup":1,"dup":2}';

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

/** A field of the binary encoding that holds bytes. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

/** A revision in the binary encoding. */
function binaryRevision(name: string, data: string): Buffer {
  const type = Buffer.concat([field(1, 'apps/v1'), field(2, 'ControllerRevision')]);
  const object = Buffer.concat([field(1, field(1, name)), field(2, field(1, data)), Buffer.from([0x18, 1])]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, object)]);
}

const jsonRevision = (name: string, data: string): string =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},"revision":1,"data": ${data} }`;

const revisions = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;

conformance('Bytes of clients that are passed on [RawExtension]', ({ api, names, namespace }) => {
  const media = names.protobufMediaType;
  const send = (method: string, path: string, type: string, body: Buffer | string) =>
    api.request(method, path, { body, headers: { 'content-type': type } });

  /** Reads the object in both encodings. */
  async function read(path: string): Promise<{ json: string; binary: string }> {
    const json = expectStatus(await api.get(path), 200).body.toString();
    const binary = expectStatus(await api.get(path, { accept: media }), 200).body;
    const revision = field(2, field(1, SENT));
    return { json, binary: binary.includes(revision) ? SENT : binary.toString('latin1') };
  }

  const asSent = { json: expect.stringContaining(`"data":${EMBEDDED}`), binary: SENT };

  test.each([
    ['JSON', 'application/json', jsonRevision('a', SENT)],
    ['protobuf', media, binaryRevision('a', SENT)],
  ])('stay as they came in %s, in either encoding, through patches and updates', async (_name, type, body) => {
    const path = revisions(await namespace());
    expectStatus(await send('POST', path, type, body), 201);
    expect(await read(`${path}/a`)).toEqual(asSent);

    const patches = {
      'application/merge-patch+json': '{"metadata":{"labels":{"a":"m"}}}',
      'application/json-patch+json': '[{"op":"add","path":"/metadata/labels","value":{"a":"j"}}]',
      'application/strategic-merge-patch+json': '{"metadata":{"labels":{"a":"s"}}}',
    };
    for (const [patch, document] of Object.entries(patches)) {
      expectStatus(await send('PATCH', `${path}/a`, patch, document), 200);
      expect(await read(`${path}/a`)).toEqual(asSent);
    }
    const applied = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a","labels":{"c":"d"}},"revision":1}`;
    expectStatus(await send('PATCH', `${path}/a?fieldManager=x`, 'application/apply-patch+yaml', applied), 200);
    expect(await read(`${path}/a`)).toEqual(asSent);

    const seen = expectStatus(await api.get(`${path}/a`), 200).body.toString();
    expectStatus(await send('PUT', `${path}/a`, 'application/json', seen.replace('"c":"d"', '"c":"e"')), 200);
    expect(await read(`${path}/a`)).toEqual(asSent);

    const list = expectStatus(await api.get(path), 200).body.toString();
    expect(list).toContain(`"data":${EMBEDDED}`);
    const watch = expectStatus(
      await api.get(`${path}?watch=1&resourceVersion=0&timeoutSeconds=1`),
      200,
    ).body.toString();
    expect(watch).toContain(`"data":${EMBEDDED}`);
  });

  test('cannot be changed, and come from YAML as the reference writes them', async () => {
    const path = revisions(await namespace());
    const yaml =
      'apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: a}\nrevision: 1\ndata:\n  b: {"10": 1, "9": "x&\\b"}\n  a: 1\n';
    expectStatus(await send('POST', path, 'application/yaml', yaml), 201);
    const data = '{"a":1,"b":{"10":1,"9":"x\\u0026\\u0008"}}';
    expect(expectStatus(await api.get(`${path}/a`), 200).body.toString()).toContain(`"data":${data}`);
    const binary = expectStatus(await api.get(`${path}/a`, { accept: media }), 200).body;
    expect(binary.includes(field(2, field(1, data)))).toBe(true);
    const patch = '[{"op":"add","path":"/data/c","value":1}]';
    expectStatus(await send('PATCH', `${path}/a`, 'application/json-patch+json', patch), 422);
  });
});
