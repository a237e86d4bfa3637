import { expect, test } from 'vitest';
import { Api } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
} from './conformance.js';

conformanceWithoutNames('Refusals [Errors]', ({ api, namespace }) => {
  test.each(['/apis/nowhere.example/v1/things', '/api/v1/nosuchresource', '/api/v9', '/nowhere'])(
    '%s is not found',
    async (path) => {
      expectStatus(await api.get(path), 404);
    },
  );

  test.each([
    ['PUT', (ns: string) => configMaps(ns)],
    ['POST', (ns: string) => `${configMaps(ns)}/a`],
    ['PATCH', (ns: string) => configMaps(ns)],
  ])('%s where it has no meaning is 405', async (method, path) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    expectRefusal(await api.request(method, path(ns), { body: configMap('a') }), 405, 'MethodNotAllowed');
  });

  test('a body above the limit is 413, one just below is taken', async () => {
    const ns = await namespace();
    const large = configMap('a', { data: { filling: 'x'.repeat(3 * 1024 * 1024) } });
    expectRefusal(await api.post(configMaps(ns), large), 413, 'RequestEntityTooLarge');
    expectStatus(await api.post(configMaps(ns), configMap('b', { data: { filling: 'x'.repeat(900_000) } })), 201);
  });

  test('an unknown token is 401, none at all may see health but no objects', async () => {
    const stranger = new Api({ ...api.settings, token: 'no-such-token' });
    expectRefusal(await stranger.get('/api/v1/namespaces'), 401, 'Unauthorized');
    const { token: _, ...anonymous } = api.settings;
    const nobody = new Api(anonymous);
    const status = expectRefusal(await nobody.get('/api/v1/namespaces'), 403, 'Forbidden');
    expect(status.message).toContain('system:anonymous');
    expectStatus(await nobody.get('/livez'), 200);
    const watch = await nobody.watch('/api/v1/namespaces?watch=1');
    expect(await watch.refusal()).toMatchObject({ code: 403 });
    stranger.close();
    nobody.close();
  });

  test('HEAD and OPTIONS do not hang', async () => {
    const ns = await namespace();
    for (const method of ['HEAD', 'OPTIONS', 'TRACE']) {
      expect((await api.request(method, configMaps(ns))).status).toBeLessThan(500);
    }
  });
});

/** Bodies and addresses that no client should send; each is refused, none breaks the server. */
const HOSTILE_BODIES: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['no JSON', '{'],
  ['null', 'null'],
  ['a number', '1'],
  ['a list', '[]'],
  ['an object without a kind', '{}'],
  ['deep nesting', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['deep lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['a NUL in the name', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a\\u0000b"}}'],
  ['a lone surrogate in the name', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a\\ud800"}}'],
  ['a name of 300 letters', JSON.stringify(configMap('a'.repeat(300)))],
  ['metadata of another type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":"a"}'],
  ['a number for a name', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":1}}'],
  ['labels of another type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":{}}}}'],
  ['a prototype', '{"__proto__":{"x":1},"apiVersion":"v1","kind":1}'],
  ['a huge number', `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generation":1${'0'.repeat(400)}}}`],
  ['a deletion time', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","deletionTimestamp":"soon"}}'],
];

const HOSTILE_PATHS = [
  '/api/v1/namespaces/%00/configmaps',
  '/api/v1/namespaces/..%2f..%2f/configmaps',
  '/api/v1/namespaces/%ff%fe/configmaps',
  '/api/v1/configmaps?limit=1e999',
  '/api/v1/configmaps?limit=9223372036854775808',
  '/api/v1/configmaps?labelSelector=%ff',
  '/api/v1/configmaps?fieldSelector=%00=%00',
  '/api/v1/configmaps?continue=%F0%9F%92%A9',
  '/api/v1/configmaps?resourceVersion=%31%00',
  '/api/v1/configmaps?timeoutSeconds=-1&watch=1',
  '/api/v1/configmaps?%',
  `/api/v1/configmaps?labelSelector=${'a,'.repeat(3000)}a`,
];

conformanceWithoutNames('Hostile input [Errors]', ({ api, namespace }) => {
  test.each(HOSTILE_BODIES)('a body that is %s is refused with a Status', async (_, body) => {
    const ns = await namespace();
    for (const [method, path] of [
      ['POST', configMaps(ns)],
      ['PUT', `${configMaps(ns)}/a`],
    ] as const) {
      const answer = await api.request(method, path, { body });
      expect(answer.status, answer.text.slice(0, 500)).toBeGreaterThanOrEqual(400);
      expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
      expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure' });
    }
  });

  test.each(HOSTILE_PATHS)('GET %s is answered, not with 500', async (path) => {
    const message = await api.open('GET', path, {});
    expect(message.statusCode).toBeLessThan(500);
    message.destroy();
  });
});
