import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import type { WatchStream } from '../support/watch-stream.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const USERS = ['ann', 'joe', 'eve'] as const;
type User = (typeof USERS)[number];
/** The promise is a second, which `test/faults` judges; here nobody knows what else the machine does. */
const WITHIN_MS = 30_000;

let dir: string;
let cluster: Cluster;
let admin: Api;
beforeAll(async () => {
  dir = makeServerFolder('orch-rights-');
  cluster = await startCluster({ dir, strangers: Object.fromEntries(USERS.map((user) => [user, user])) });
  admin = new Api(cluster);
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  await admin.post(`${RBAC}/clusterroles`, {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'maps' },
    rules,
  });
  for (const user of USERS) await bind(user);
});
afterAll(async () => {
  admin?.close();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const as = (user: User, url: string) => new Api({ url, ca: cluster.ca, token: user });

async function bind(user: User): Promise<void> {
  const { status } = await admin.post(BINDINGS, {
    apiVersion: `${GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'maps' },
    subjects: [{ kind: 'User', apiGroup: GROUP, name: user }],
  });
  expect(status).toBe(201);
}

/** Every process that clients come to. */
const everywhere = () => [...cluster.apiServerUrls, ...cluster.gatewayUrls];

/** Resolves when a user may list at every process, or may not at any. */
async function mayEverywhere(user: User, expected: boolean): Promise<void> {
  const apis = everywhere().map((url) => as(user, url));
  try {
    await waitUntil(`${user} ${expected ? 'may' : 'may not'} list everywhere`, WITHIN_MS, async () => {
      const answers = await Promise.all(apis.map((api) => api.get(MAPS)));
      return answers.every(({ status }) => status === (expected ? 200 : 403));
    });
  } finally {
    for (const api of apis) api.close();
  }
}

test('rights that are taken end the watches of those alone whom it concerns, on both tiers, and are given back', async () => {
  for (const user of USERS) await mayEverywhere(user, true);
  const apis: Api[] = [];
  /** Open watches of each user at each process; api-servers proxy theirs. */
  const open = new Map<User, WatchStream[]>();
  for (const user of USERS) {
    const streams: WatchStream[] = [];
    for (const url of everywhere()) {
      const api = as(user, url);
      apis.push(api);
      streams.push(await api.watch(`${MAPS}?watch=1`));
    }
    open.set(user, streams);
    for (const stream of streams) expect(stream.status).toBe(200);
  }
  const of = (user: User) => open.get(user) ?? [];

  const begun = performance.now();
  expect((await admin.delete(`${BINDINGS}/joe`)).status).toBe(200);
  for (const stream of of('joe')) {
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 403, reason: 'Forbidden' } });
    expect(last?.object.message).toContain('User "joe" cannot watch resource "configmaps"');
    expect(stream.isWhole).toBe(true);
  }
  expect(performance.now() - begun).toBeLessThan(WITHIN_MS);
  await mayEverywhere('joe', false);

  const metadata = { name: 'after' };
  expect((await admin.post(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata })).status).toBe(201);
  for (const user of ['ann', 'eve'] as const) {
    for (const stream of of(user)) {
      const events = await stream.until(({ object }) => object.metadata.name === 'after');
      expect(events.at(-1)?.type).toBe('ADDED');
      expect(events.some(({ type }) => type === 'ERROR')).toBe(false);
      expect(stream.ended).toBe(false);
    }
  }
  await bind('joe');
  await mayEverywhere('joe', true);

  expect((await admin.delete(`${RBAC}/clusterroles/maps`)).status).toBe(200);
  for (const user of ['ann', 'eve'] as const) {
    for (const stream of of(user))
      expect((await stream.rest()).at(-1)).toMatchObject({ type: 'ERROR', object: { code: 403 } });
  }
  for (const api of apis) api.close();
});
