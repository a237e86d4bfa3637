import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { ApiList, ApiObject } from '../support/api.js';
import { configMaps, conformance, expectRefusal, expectStatus, namesIn } from './conformance.js';

const LEVELS = [
  'catch-all',
  'exempt',
  'global-default',
  'leader-election',
  'node-high',
  'system',
  'workload-high',
  'workload-low',
];
const SCHEMAS = [
  'catch-all',
  'endpoint-controller',
  'exempt',
  'global-default',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-system-service-accounts',
  'probes',
  'service-accounts',
  'system-leader-election',
  'system-node-high',
  'system-nodes',
  'workload-leader-election',
];
/** Until the server has heard of a change and done what follows from it. */
const SOON = { timeout: 30_000, interval: 50 };

interface Schema extends ApiObject {
  readonly spec: { readonly priorityLevelConfiguration: { readonly name: string } };
  readonly status?: { readonly conditions?: readonly { type: string; status: string; reason: string }[] };
}

conformance('Flow control [KEP-1040, release 1.27]', ({ api, names, namespace }) => {
  const root = `/apis/${names.group('flowcontrol.apiserver.orch.io')}`;
  const at = (resource: string, name = '', version = 'v1beta3') =>
    `${root}/${version}/${resource}${name && `/${name}`}`;
  const list = async (resource: string) => expectStatus(await api.get(at(resource)), 200).json<ApiList>();
  const own = () => `t-${randomBytes(4).toString('hex')}`;
  const uidOf = async (resource: string, name: string) =>
    expectStatus(await api.get(at(resource, name)), 200).json<ApiObject>().metadata.uid;

  function schema(name: string, level: string, more: object = {}) {
    return {
      apiVersion: root.slice('/apis/'.length).concat('/v1beta3'),
      kind: 'FlowSchema',
      metadata: { name },
      spec: { matchingPrecedence: 9_999, priorityLevelConfiguration: { name: level }, rules: [], ...more },
    };
  }

  test('every installation has the levels and schemas of the release', async () => {
    expect(namesIn(await list('prioritylevelconfigurations'))).toEqual(expect.arrayContaining(LEVELS));
    const schemas = await list('flowschemas');
    expect(namesIn(schemas)).toEqual(expect.arrayContaining(SCHEMAS));
    const annotation = names.key('apf.orch.io/autoupdate-spec');
    for (const { metadata } of schemas.items.filter(({ metadata: { name } }) => SCHEMAS.includes(name)))
      expect(metadata.annotations, metadata.name).toHaveProperty([annotation], expect.stringMatching(/^(true|false)$/));
  });

  test('they are served in v1beta2 under the older name of their shares', async () => {
    const got = expectStatus(await api.get(at('prioritylevelconfigurations', 'system', 'v1beta2')), 200);
    expect(got.json()).toMatchObject({ spec: { limited: { assuredConcurrencyShares: 30, lendablePercent: 33 } } });
  });

  test('answers tell which schema and level a request belonged to, by their uids', async () => {
    const ns = await namespace();
    const alice = { 'impersonate-user': 'alice' };
    const shown = async (path: string) => {
      const { headers } = await api.get(path, alice);
      return [headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']];
    };
    const found = [
      await uidOf('flowschemas', 'global-default'),
      await uidOf('prioritylevelconfigurations', 'global-default'),
    ];
    expect(await shown(configMaps(ns))).toEqual(found);
    expect(await shown('/nosuch'), 'refusals too').toEqual(found);
    expect(await shown('/readyz')).toEqual([
      await uidOf('flowschemas', 'probes'),
      await uidOf('prioritylevelconfigurations', 'exempt'),
    ]);
  });

  test('a schema says whether its level is there', async () => {
    const [name, level] = [own(), own()];
    expectStatus(await api.post(at('flowschemas'), schema(name, level)), 201);
    const dangling = async () => {
      const { status } = (await api.get(at('flowschemas', name))).json<Schema>();
      return status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);
    };
    await vi.waitFor(async () => expect(await dangling()).toEqual(['Dangling True NotFound']), SOON);
    const system = (await api.get(at('prioritylevelconfigurations', 'system'))).json<ApiObject>();
    const made = { apiVersion: system.apiVersion, kind: system.kind, metadata: { name: level }, spec: system.spec };
    expectStatus(await api.post(at('prioritylevelconfigurations'), made), 201);
    await vi.waitFor(async () => expect(await dangling()).toEqual(['Dangling False Found']), SOON);
    for (const path of [at('flowschemas', name), at('prioritylevelconfigurations', level)])
      expectStatus(await api.delete(path), 200);
  });

  test('one of the installation is made again when it is deleted, and cannot be changed if it must be there', async () => {
    expectStatus(await api.delete(at('flowschemas', 'catch-all')), 200);
    await vi.waitFor(async () => expect((await api.get(at('flowschemas', 'catch-all'))).status).toBe(200), SOON);
    const patch = { spec: { matchingPrecedence: 9_000 } };
    const refused = await api.patch(at('flowschemas', 'catch-all'), 'merge', patch);
    expectRefusal(refused, 422, 'Invalid');
  });

  test('what the installation has of its own is brought back unless somebody says otherwise', async () => {
    const path = at('flowschemas', 'kube-scheduler');
    const precedence = async () =>
      (await api.get(path)).json<{ spec: { matchingPrecedence: number } }>().spec.matchingPrecedence;
    const patch = (of: object) => api.patch(path, 'merge', of);
    const annotation = names.key('apf.orch.io/autoupdate-spec');
    expectStatus(await patch({ spec: { matchingPrecedence: 801 } }), 200);
    await vi.waitFor(async () => expect(await precedence()).toBe(800), SOON);
    expectStatus(
      await patch({ metadata: { annotations: { [annotation]: 'false' } }, spec: { matchingPrecedence: 802 } }),
      200,
    );
    // Another that is brought back tells that this one was looked at.
    expectStatus(await api.delete(at('flowschemas', 'kube-controller-manager')), 200);
    await vi.waitFor(
      async () => expect((await api.get(at('flowschemas', 'kube-controller-manager'))).status).toBe(200),
      SOON,
    );
    expect(await precedence()).toBe(802);
    expectStatus(await patch({ metadata: { annotations: { [annotation]: 'true' } } }), 200);
    await vi.waitFor(async () => expect(await precedence()).toBe(800), SOON);
  });

  test('pages show levels, queues and requests', async () => {
    const page = async (name: string) =>
      expectStatus(await api.get(`/debug/api_priority_and_fairness/${name}`), 200).text;
    await api.get('/api', { 'impersonate-user': 'alice' });
    const levels = await page('dump_priority_levels');
    expect(levels).toMatch(/^PriorityLevelName, +ActiveQueues, +IsIdle, +IsQuiescing, +WaitingRequests, /);
    expect(levels).toMatch(/^exempt, +<none>, /m);
    expect(levels).toMatch(/^global-default, +\d+, +(true|false), +false, +\d+, +\d+, +[1-9]/m);
    expect(await page('dump_queues')).toMatch(/^PriorityLevelName, +Index, +PendingRequests, /);
    expect(await page('dump_requests')).toMatch(/^PriorityLevelName, +FlowSchemaName, +QueueIndex, /);
  });
});
