import { connect } from 'node:tls';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Api, RequestSettings, StatusObject } from '../support/api.js';
import { configMap, configMaps, conformance, createAll, expectStatus, list } from './conformance.js';

type Hostile = readonly [
  method: string,
  path: string,
  body?: string | Buffer,
  headers?: Readonly<Record<string, string>>,
];

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const YAML = { 'content-type': 'application/yaml' };
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const meta = '"apiVersion":"v1","kind":"ConfigMap"';

/** Requests on `C`, a collection that holds `a`, that must all be refused and change nothing. */
const REFUSED: readonly Hostile[] = [
  ['POST', 'C', '{'],
  ['POST', 'C', '{"apiVersion":"v1"'],
  ['POST', 'C', '\u0000'],
  ['POST', 'C', Buffer.from([0xff, 0xfe, 0x7b, 0x7d])],
  ['POST', 'C', `{${meta},"metadata":{"name":"x","resourceVersion":"garbage"}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x/y"}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":".."}}`],
  ['POST', 'C', `{${meta},"metadata":{"generateName":"${'x'.repeat(300)}","name":""}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x","labels":{"a":"${'v'.repeat(64)}"}}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x","annotations":{"a":"${'v'.repeat(300_000)}"}}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x","finalizers":["no domain here"]}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x","ownerReferences":[{}]}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x","creationTimestamp":"yesterday"}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"},"data":{"../../etc":"y"}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"},"data":{"k":"a","k":5}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"},"binaryData":{"k":"no base64!"}}`],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"},"immutable":"yes"}`],
  ['POST', 'C?dryRun=Half', `{${meta},"metadata":{"name":"x"}}`],
  ['POST', 'C?fieldValidation=Hard', `{${meta},"metadata":{"name":"x"}}`],
  ['POST', `C?fieldManager=${'m'.repeat(129)}`, `{${meta},"metadata":{"name":"x"}}`],
  ['POST', 'C', 'a: &a [x]\nb: &b [*a,*a]\nc: [*b', YAML],
  [
    'POST',
    'C',
    `a0: &a0 [x,x]\n${Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n},*a${n}]`).join('\n')}\n`,
    YAML,
  ],
  ['POST', 'C', 'kind: !!js/function "x"\n', YAML],
  ['POST', 'C', `${'- '.repeat(50_000)}x`, YAML],
  ['POST', 'C', '--- a\n--- b\n', YAML],
  ['POST', 'C', '\u0000\u0001', YAML],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"}}`, { 'content-type': 'text/plain' }],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"}}`, { 'content-type': ';;;' }],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"}}`, { 'content-encoding': 'gzip' }],
  ['POST', 'C', `{${meta},"metadata":{"name":"x"}}`, { accept: 'application/nothing' }],
  ['PUT', 'C/a', '[]'],
  ['PUT', 'C/a', `{${meta},"metadata":{"name":"b"}}`],
  ['PUT', 'C/a', `{${meta},"metadata":{"name":"a","resourceVersion":"0x1"}}`],
  ['PUT', 'C/a', `{${meta},"metadata":{"name":"a","uid":"x"}}`],
  ['PUT', 'C/a', `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`],
  ['PATCH', 'C/a', '{}', { 'content-type': 'application/json' }],
  ['PATCH', 'C/a', 'null', MERGE],
  ['PATCH', 'C/a', '"x"', MERGE],
  ['PATCH', 'C/a', '{"data":7}', MERGE],
  ['PATCH', 'C/a', '{"metadata":null}', MERGE],
  ['PATCH', 'C/a', '{"kind":"Secret"}', MERGE],
  ['PATCH', 'C/a', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, MERGE],
  ['PATCH', 'C/a', '{}', JSON_PATCH],
  ['PATCH', 'C/a', '[{"op":"add"}]', JSON_PATCH],
  ['PATCH', 'C/a', '[{"op":"remove","path":"/nothing"}]', JSON_PATCH],
  ['PATCH', 'C/a', '[{"op":"replace","path":"","value":5}]', JSON_PATCH],
  ['PATCH', 'C/a', '[{"op":"add","path":"/data/99999999999999999999/x","value":1}]', JSON_PATCH],
  ['PATCH', 'C/a', '[{"op":"copy","from":"/x","path":"/y"}]', JSON_PATCH],
  ['PATCH', 'C/a', '[{"op":"move","from":"/data","path":"/data/x"}]', JSON_PATCH],
  [
    'PATCH',
    'C/a',
    `[${'{"op":"copy","from":"/data","path":"/data/x"},'.repeat(40)}{"op":"test","path":"/kind","value":1}]`,
    JSON_PATCH,
  ],
  ['PATCH', 'C/a', '{"$patch":"explode"}', STRATEGIC],
  ['PATCH', 'C/a', '{"data":[{"$patch":"delete"}]}', STRATEGIC],
  ['PATCH', 'C/a', '{"metadata":{"$setElementOrder/finalizers":7}}', STRATEGIC],
  ['DELETE', 'C/a', '{"preconditions":{"resourceVersion":"1"}}'],
  ['DELETE', 'C/a', '{"propagationPolicy":"Upwards"}'],
  ['DELETE', 'C/a?gracePeriodSeconds=soon'],
  ['DELETE', 'C/a?propagationPolicy=Upwards'],
  ['DELETE', 'C?labelSelector=!!'],
  ['DELETE', 'C?continue=garbage'],
  ['DELETE', 'C?resourceVersion=garbage'],
  ['GET', 'C?limit=ten'],
  ['GET', 'C?continue=eyJ2IjoxLCJydiI6Ii0xIiwibnMiOiIiLCJuYW1lIjoiIn0'],
  ['GET', 'C?resourceVersion=1&resourceVersionMatch=Sometimes'],
  ['GET', 'C?resourceVersion=9999999999999999999999'],
  ['GET', 'C?watch=perhaps'],
  ['GET', 'C?watch=1&timeoutSeconds=-5'],
  ['GET', 'C?watch=1&resourceVersion=0x10'],
  ['GET', 'C/a?resourceVersion=-1'],
  ['GET', `C/${'a'.repeat(3000)}`],
  ['GET', 'C/a%00b'],
  ['GET', 'C/a%2fb'],
  ['GET', 'C/%c0%ae%c0%ae'],
  ['GET', 'C/a/../../secrets'],
  ['PUT', 'C/a%00b', `{${meta},"metadata":{"name":"a\\u0000b"}}`],
  ['GET', '/api/v1/namespaces/%00/configmaps/a'],
  ['GET', '/apis/%2e%2e/v1/configmaps'],
];

/** Bytes that are no HTTP request, or not one that means well. */
const MALFORMED_HTTP = [
  'GET\r\n\r\n',
  'get /api/v1/namespaces HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /api HTTP/9.9\r\nhost: x\r\n\r\n',
  'GET /api HTTP/1.1\r\nbad header: x\r\nhost: x\r\n\r\n',
  'GET /api HTTP/1.1\r\nhost: x\r\na: b\u0000c\r\n\r\n',
  `GET /api HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(70_000)}\r\n\r\n`,
  `GET /api/v1/configmaps?labelSelector=${'a'.repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  'POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'GET http://elsewhere.example/api HTTP/1.1\r\nhost: elsewhere.example\r\nconnection: close\r\n\r\n',
  'GET * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  'CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /api HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \t\r\nconnection: close\r\n\r\n',
  'GET /api HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade, close\r\n\r\n',
];

/** What a server says to bytes; empty when it just hangs up. */
function exchange(api: Api, bytes: string): Promise<string> {
  const { hostname, port } = new URL(api.settings.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), ...(api.settings.ca && { ca: api.settings.ca }) });
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.once('secureConnect', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (text.includes('\r\n\r\n')) done();
    });
    socket.once('error', done);
    socket.once('close', done);
  });
}

conformance('Unknown input never corrupts [Errors]', ({ api, names, namespace }) => {
  /** Runs `attack` on a collection that holds `a`, and checks that the server lives and the collection is as before. */
  async function unharmed(attack: (collection: string) => Promise<void>): Promise<void> {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const before = (await list(api, configMaps(ns))).items;
    await attack(configMaps(ns));
    expect((await list(api, configMaps(ns))).items).toEqual(before);
    expectStatus(await api.get('/readyz'), 200);
  }

  test('each hostile request is refused with a 4xx Status, stores nothing and changes nothing', () =>
    unharmed(async (collection) => {
      for (const [method, path, body, headers] of REFUSED) {
        const settings: RequestSettings = { ...(body !== undefined && { body }), ...(headers && { headers }) };
        const answer = await api.request(method, path.replace(/^C/, collection), settings);
        const what = `${method} ${path} ${String(body).slice(0, 120)}: ${answer.status} ${answer.text.slice(0, 300)}`;
        expect.soft(answer.status, what).toBeGreaterThanOrEqual(400);
        expect.soft(answer.status, what).toBeLessThan(500);
        expect.soft(answer.text.startsWith('{') && answer.json<StatusObject>(), what).toMatchObject({
          kind: 'Status',
          status: 'Failure',
          code: answer.status,
        });
        expect.soft(answer.text, what).not.toMatch(/\bat .*\.[jt]s:\d|node_modules/);
      }
    }));

  test('bytes that are no HTTP are answered with 4xx or a closed connection', () =>
    unharmed(async () => {
      for (const bytes of MALFORMED_HTTP) {
        const answer = await exchange(api, bytes);
        expect.soft(answer, JSON.stringify(bytes.slice(0, 80))).toMatch(/^$|^HTTP\/1\.1 4\d\d /);
      }
    }));

  test('headers of any content never make an internal error', () =>
    unharmed(async (collection) => {
      const values = [
        '',
        ',',
        ';;;',
        'q=',
        '*/*;q=2',
        'a/b;=',
        '"',
        '\t',
        'x'.repeat(5000),
        'application/json;as=;v=;g=',
        '\u00ff\u00fe',
      ];
      for (const value of values) {
        for (const name of [
          'accept',
          'accept-encoding',
          'content-type',
          'user-agent',
          'impersonate-user',
          'x-remote-user',
          'range',
          'expect',
        ]) {
          const answer = await api.request('GET', `${collection}/a`, { headers: { [name]: value } });
          expect.soft(answer.status, `${name}: ${value.slice(0, 40)} ${answer.text.slice(0, 200)}`).toBeLessThan(500);
        }
      }
      const remote = await api.request('GET', '/api/v1/namespaces', {
        headers: { authorization: '', 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
      });
      expect([401, 403]).toContain(remote.status);
    }));

  test('a binary body damaged at any place never makes an internal error', () =>
    unharmed(async (collection) => {
      const media = names.protobufMediaType;
      const whole = expectStatus(await api.get(`${collection}/a`, { accept: media }), 200).body;
      const damage = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), cut: fc.boolean() });
      const property = fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (places) => {
        let body = Buffer.from(whole);
        for (const { at, byte, cut } of places) {
          if (cut) body = body.subarray(0, Math.max(at, 1));
          else if (at < body.length) body[at] = byte;
        }
        const headers = { 'content-type': media };
        const answer = await api.request('POST', `${collection}?dryRun=All`, { body, headers });
        expect(answer.status, `${body.toString('hex')}: ${answer.text}`).toBeLessThan(500);
      });
      await fc.assert(property, { seed: 1127, numRuns: 150, endOnFailure: true });
      const lengths = Buffer.concat([MAGIC, Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f])]);
      const huge = await api.request('POST', collection, { body: lengths, headers: { 'content-type': media } });
      expectStatus(huge, 400);
    }));

  test('generated bodies, patches and queries never make an internal error', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const keys = fc.constantFrom(
      'apiVersion',
      'kind',
      'metadata',
      'name',
      'labels',
      'data',
      '',
      '__proto__',
      'constructor',
      'ü',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 0 }), fc.array(tie('value')), tie('object')),
      object: fc.dictionary(keys, tie('value')),
    }));
    const request = fc.record({
      method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      type: fc.constantFrom('json', 'merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'yaml'),
      body: fc.oneof(
        fc.string(),
        value.map((json) => JSON.stringify(json)),
        fc
          .array(
            fc.record({
              op: fc.constantFrom('add', 'remove', 'test', 'copy'),
              path: fc.constantFrom('', '/', '/data/a', '/metadata'),
              value,
            }),
          )
          .map((operations) => JSON.stringify(operations)),
      ),
      query: fc.oneof(fc.constant(''), fc.webQueryParameters()),
      named: fc.boolean(),
    });
    const property = fc.asyncProperty(request, async ({ method, type, body, query, named }) => {
      const path = `${configMaps(ns)}${named ? '/a' : ''}${query ? `?${query}` : ''}`;
      const headers = { 'content-type': `application/${type}` };
      const answer = await api.request(method, path, { body, headers });
      expect(answer.status, `${method} ${path} ${body}: ${answer.text}`).toBeLessThan(500);
    });
    await fc.assert(property, { seed: 27, numRuns: 300, endOnFailure: true });
    expectStatus(await api.get('/readyz'), 200);
  });

  test('members named __proto__ and constructor are fields like others', async () => {
    const ns = await namespace();
    const body = `{${meta},"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}`;
    expectStatus(await api.request('POST', configMaps(ns), { body }), 201);
    const read = expectStatus(await api.get(`${configMaps(ns)}/a`), 200).text;
    expect(read).toContain('"__proto__":"x"');
    expect(read).toContain('"constructor":"y"');
    const polluted = `{${meta},"__proto__":{"data":{"evil":"1"}},"metadata":{"name":"b","__proto__":{"labels":{"evil":"1"}}}}`;
    const answer = expectStatus(await api.request('POST', configMaps(ns), { body: polluted }), 201);
    expect(answer.json().metadata).not.toHaveProperty('labels');
    expect(answer.json()).not.toHaveProperty('data');
    expect(expectStatus(await api.post(configMaps(ns), configMap('c')), 201).text).not.toContain('evil');
  });

  test('a warning cannot smuggle a header line', async () => {
    const ns = await namespace();
    const body = JSON.stringify({ ...configMap('a'), 'x\r\nset-cookie: a=b\u00fc"\\': 1 });
    const answer = expectStatus(await api.request('POST', configMaps(ns), { body }), 201);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.warnings).toHaveLength(1);
  });
});
