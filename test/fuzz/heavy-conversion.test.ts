import { ConversionServer } from '@orch/webhooks/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf } from '../load/target.js';
import { Api, type ApiObject } from '../support/api.js';
import { sizedWidgets } from '../support/sized-widgets.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import type { HeavyRequest } from './heavy/heavy-request.js';
import { stallOf, type Victim } from './heavy/stall.js';

/** Maximum wait of others in ms, as in heavy.test.ts. */
const MAX_WAIT_MS = Number(process.env.HEAVY_MAX_WAIT_MS ?? 150);
const TRIES = 5;
const OBJECTS = 2_000;
const apiVersion = 'apiextensions.k8s.io/v1';
const DEFINITIONS = `/apis/${apiVersion}/customresourcedefinitions`;
const at = (version: string, name = '') =>
  `/apis/example.com/${version}/namespaces/default/widgets${name && `/${name}`}`;
const widget = (version: string, name: string, spec: object) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec,
});
/** Many small values, which cost more than bytes do. */
const parts = (count: number) => Array.from({ length: count }, (_, i) => ({ a: i, b: `${i}` }));

let server: Standalone;
let webhook: ConversionServer;
let api: Api;
let victim: Victim;
beforeAll(async () => {
  webhook = await ConversionServer.start();
  server = await startStandalone();
  api = new Api(server);
  const definition = sizedWidgets({ group: 'example.com', apiVersion }, webhook.conversion());
  for (const version of definition.spec.versions) {
    const { spec } = version.schema.openAPIV3Schema.properties;
    Object.assign(spec.properties, {
      parts: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } },
      },
    });
  }
  expect((await api.post(DEFINITIONS, definition)).status).toBe(201);
  const established = async () => {
    const { status } = (await api.get(`${DEFINITIONS}/widgets.example.com`)).json<ApiObject>();
    return (status?.conditions ?? []).some((one: ApiObject) => one.type === 'Established' && one.status === 'True');
  };
  while (!(await established())) await new Promise((resolve) => setTimeout(resolve, 20));
  await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'small' }, data: { a: 'b' } });
  expect((await api.post(at('v1'), widget('v1', 'large', { parts: parts(15_000) }))).status).toBe(201);
  for (let made = 0; made < OBJECTS; made += 50) {
    const names = Array.from({ length: 50 }, (_, i) => `w${made + i}`);
    await Promise.all(names.map((name) => api.post(at('v1'), widget('v1', name, { size: 1, parts: parts(60) }))));
  }
  victim = {
    endpoint: { ...addressOf(server.plainUrl), token: server.token },
    small: '/api/v1/namespaces/default/configmaps/small?resourceVersion=0',
    pid: server.process.pid,
  };
  await stallOf(victim, { name: 'warm-up', method: 'GET', path: at('v2', 'w0') });
}, 300_000);
afterAll(async () => {
  api?.close();
  await server?.stop();
  await webhook?.close();
});

const json = (object: object) => () => Buffer.from(JSON.stringify(object));
const large = widget('v2', 'large', { parts: parts(15_001) });
const requests: HeavyRequest[] = [
  { name: 'a list', method: 'GET', path: at('v2') },
  { name: 'a large object', method: 'GET', path: at('v2', 'large') },
  {
    name: 'a patch of it',
    method: 'PATCH',
    path: at('v2', 'large'),
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: json({ spec: { dimension: { size: 2 } } }),
  },
  {
    name: 'an apply of it',
    method: 'PATCH',
    path: `${at('v2', 'large')}?fieldManager=m&force=true`,
    headers: { 'Content-Type': 'application/apply-patch+yaml' },
    body: json(large),
  },
];

test.each(requests)(
  'a webhook that converts for $name makes no other request wait',
  async (request) => {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && least > MAX_WAIT_MS; attempt++) {
      const { waitMs, status, answer } = await stallOf(victim, request);
      expect([200, 201], answer).toContain(status);
      least = Math.min(least, waitMs);
    }
    expect(least).toBeLessThanOrEqual(MAX_WAIT_MS);
  },
  120_000,
);
