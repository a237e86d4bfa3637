import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const TTL = 2_000;

let server: Standalone;
let api: Api;
beforeAll(async () => {
  server = await startStandalone({ args: [`--event-ttl=${TTL}ms`] });
  api = new Api({ url: server.url, ca: server.ca, token: server.token });
});
afterAll(async () => {
  api?.close();
  await server?.stop();
});

const core = '/api/v1/namespaces/default/events';
const grouped = '/apis/events.k8s.io/v1/namespaces/default/events';
const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };

it('events of both groups go when their time is over, one that is written again later; watchers see it', async () => {
  const watch = await api.watch(`${core}?watch=1`);
  const made = [
    await api.post(core, { metadata: { name: 'a' }, involvedObject, type: 'Normal' }),
    await api.post(grouped, {
      metadata: { name: 'b' },
      regarding: involvedObject,
      type: 'Normal',
      reason: 'R',
      action: 'A',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
    }),
    await api.post(core, { metadata: { name: 'again' }, involvedObject, type: 'Normal' }),
    await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'stays' } }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const written = performance.now();
  await expect.poll(() => performance.now() - written, { timeout: 5_000 }).toBeGreaterThan(TTL / 2);
  const patched = performance.now();
  expect((await api.patch(`${core}/again`, 'merge', { count: 2 })).status).toBe(200);
  const gone = new Map<string, number>();
  await watch.until(({ type, object }) => {
    if (type === 'DELETED') gone.set(object.metadata.name, performance.now());
    return gone.size === 3;
  });
  watch.close();
  expect([...gone.keys()].sort()).toEqual(['a', 'again', 'b']);
  for (const name of ['a', 'b']) expect((gone.get(name) ?? 0) - written).toBeGreaterThan(TTL * 0.9);
  expect((gone.get('again') ?? 0) - patched).toBeGreaterThan(TTL * 0.9);
  expect((await api.get('/api/v1/namespaces/default/configmaps/stays')).status).toBe(200);
});
