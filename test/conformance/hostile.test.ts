import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RequestSettings, StatusObject } from '../support/api.js';
import { rawExchange } from '../support/raw-exchange.js';
import { configMap, configMaps, conformance, createAll, expectStatus, list } from './conformance.js';
import { MALFORMED_HTTP, REFUSED } from './hostile-requests.js';

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const meta = '"apiVersion":"v1","kind":"ConfigMap"';

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
        const answer = await rawExchange(api.settings, bytes);
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

  test('no member can set a prototype, and `constructor` is a field like others', async () => {
    const ns = await namespace();
    const body = `{${meta},"metadata":{"name":"a"},"data":{"constructor":"y","toString":"z"}}`;
    const created = expectStatus(await api.request('POST', configMaps(ns), { body }), 201);
    expect(created.text).toContain('"data":{"constructor":"y","toString":"z"}');
    const inherited = '"__proto__":{"labels":{"evil":"1"},"data":{"evil":"1"}}';
    const polluted = `{${meta},${inherited},"metadata":{"name":"b",${inherited}},"data":{${inherited.replaceAll('{"evil":"1"}', '"evil"')}}}`;
    for (const [type, text] of [
      ['json', polluted],
      ['yaml', polluted.replace('"b"', '"c"')],
    ] as const) {
      const settings = { body: text, headers: { 'content-type': `application/${type}` } };
      const answer = await api.request('POST', configMaps(ns), settings);
      expect(answer.status, answer.text).toBeLessThan(500);
      if (answer.status === 201) expect(answer.text).not.toContain('evil');
    }
    expect(expectStatus(await api.post(configMaps(ns), configMap('d')), 201).text).not.toContain('evil');
  });

  test('a warning cannot smuggle a header line', async () => {
    const ns = await namespace();
    const body = JSON.stringify({ ...configMap('a'), 'x\r\nset-cookie: a=b\u00fc"\\': 1 });
    const answer = expectStatus(await api.request('POST', configMaps(ns), { body }), 201);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.warnings).toHaveLength(1);
  });
});
