import { setImmediate } from 'node:timers/promises';
import type { AdmissionPlugin, Attributes } from '@orch/admission';
import { refusal } from '@orch/admission';
import type { ApiObject, Status } from '@orch/machinery';
import type { FeatureName } from '@orch/schema';
import { StoreUnavailableError, type WriteOp } from '@orch/storage';
import { listenerOf, MemoryStore, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';

const labels = { app: 'web' };
let api: TestApi;
let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  api.close();
});

const start = async (
  plugins: readonly AdmissionPlugin[] = [],
  features: Partial<Record<FeatureName, boolean>> = {},
) => {
  api = await testApi({}, 'kubernetes', new MemoryStore(), {}, plugins, [], features);
  server = await openServer(listenerOf(api));
};

const setStatus = async (resource: string, name: string, status: unknown) => {
  const request = api.request('UPDATE', resource, name, { subresource: 'status' });
  await api.deps.pipeline.write(request, { change: (current) => ({ ...current, status }) });
};

/** Commits that take many turns of the event loop: what comes meanwhile is made upon what was there before. */
const commitSlowly = () => {
  api.store.beforeWrite = async () => {
    for (let turn = 0; turn < 200; turn++) await setImmediate();
    return undefined;
  };
};

/** A pod on a node that is ready. */
async function runningPod(name: string, ready = true): Promise<void> {
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  await api.create('pods', { metadata: { name, labels }, spec });
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  await setStatus('pods', name, { phase: 'Running', conditions });
}

async function budget(name: string, status: Record<string, unknown>, spec: Record<string, unknown> = {}) {
  await api.create('poddisruptionbudgets', {
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: labels }, ...spec },
  });
  const known = { observedGeneration: 1, desiredHealthy: 1, currentHealthy: 2, expectedPods: 2 };
  // Past the rules: what lies in the store may be from a time when they were others.
  const { type } = api.endpoint('poddisruptionbudgets');
  const row = api.store.rows(type).find((each) => each.name === name) ?? expect.unreachable();
  const object = { ...JSON.parse(row.body.toString()), status: { ...known, ...status } };
  await api.store.write({ ...row, op: 'update', type, terminating: false, body: Buffer.from(JSON.stringify(object)) });
}

async function evict(name: string, more: object = {}, query = '') {
  const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more });
  const answer = await server?.ask(`/api/v1/namespaces/default/pods/${name}/eviction${query}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  if (!answer) throw new Error('there is no server');
  return { code: answer.status, headers: answer.headers, status: JSON.parse(answer.body.toString()) as Status };
}

const budgetStatus = (name = 'b') => api.stored('poddisruptionbudgets', name)?.status as Record<string, unknown>;
const pod = (name: string) => api.stored('pods', name) as ApiObject;

describe('an eviction', () => {
  it('commits what it takes from the budget and the deletion as one set', async () => {
    await start();
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 1 });
    const sets: WriteOp[][] = [];
    const write = api.store.writeSet.bind(api.store);
    api.store.writeSet = (ops) => {
      sets.push([...ops]);
      return write(ops);
    };
    expect((await evict('p')).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    expect(sets.map((ops) => ops.map(({ op, name }) => `${op} ${name}`))).toEqual([['update p', 'update b']]);
    expect(pod('p').metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    expect((pod('p').status as { conditions: unknown[] }).conditions).toContainEqual({
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: expect.any(String),
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    });
    expect(budgetStatus()).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.stringMatching(/Z$/) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
    });
  });

  it.each([1, 3])('lets no more pods go at once than the budget of %i has', async (allowed) => {
    await start();
    const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
    for (const name of names) await runningPod(name);
    await budget('b', { disruptionsAllowed: allowed, currentHealthy: 8 });
    commitSlowly();
    const answers = await Promise.all(names.map((name) => evict(name)));
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(allowed);
    expect(answers.filter(({ code }) => code === 429)).toHaveLength(8 - allowed);
    expect(names.filter((name) => pod(name).metadata?.deletionTimestamp !== undefined)).toHaveLength(allowed);
    expect(budgetStatus().disruptionsAllowed).toBe(0);
    expect(Object.keys(budgetStatus().disruptedPods as object)).toHaveLength(allowed);
  });

  it('of many that the budget lets go costs each about as much as one', async () => {
    await start();
    const names = Array.from({ length: 40 }, (_, at) => `p${at}`);
    for (const name of names) await runningPod(name);
    await budget('b', { disruptionsAllowed: 40, currentHealthy: 40 });
    commitSlowly();
    api.store.writes.length = 0;
    const answers = await Promise.all(names.map((name) => evict(name)));
    expect(answers.map(({ code }) => code)).toEqual(names.map(() => 201));
    expect(budgetStatus().disruptionsAllowed).toBe(0);
    expect(api.store.writes.length).toBeLessThanOrEqual(4 * names.length);
  });

  it('that is not written has taken nothing', async () => {
    await start();
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 1 });
    const before = [pod('p'), budgetStatus()];
    const { type } = api.endpoint('pods');
    api.store.beforeWrite = (op) => {
      if (op.type === type) throw new StoreUnavailableError('gone', false);
      return undefined;
    };
    expect((await evict('p')).code).toBe(503);
    api.store.beforeWrite = undefined;
    expect([pod('p'), budgetStatus()]).toEqual(before);
    expect((await evict('p')).code).toBe(201);
  });

  it.each(['pods', 'poddisruptionbudgets'])('is made anew when %s were changed meanwhile', async (resource) => {
    await start();
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 1 });
    const { type } = api.endpoint(resource);
    let times = 2;
    api.store.beforeWrite = (op) =>
      op.type === type && times-- > 0 ? { outcome: 'conflict', version: 1n } : undefined;
    expect((await evict('p')).code).toBe(201);
    expect(times).toBe(-1);
    expect(budgetStatus().disruptionsAllowed).toBe(0);
  });

  it('is not made once the budget has been used up by another server meanwhile', async () => {
    await start();
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 1 });
    api.store.beforeWrite = async () => {
      api.store.beforeWrite = undefined;
      await setStatus('poddisruptionbudgets', 'b', { ...budgetStatus(), disruptionsAllowed: 0 });
      return undefined;
    };
    expect((await evict('p')).code).toBe(429);
    expect(pod('p').metadata).not.toHaveProperty('deletionTimestamp');
  });

  it.each(['?dryRun=All', ''])('that is a dry run writes nothing (%j)', async (query) => {
    await start();
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 1 });
    const writes = api.store.writes.length;
    const body = query === '' ? { deleteOptions: { dryRun: ['All'] } } : {};
    expect((await evict('p', body, query)).code).toBe(201);
    await setStatus('poddisruptionbudgets', 'b', { ...budgetStatus(), disruptionsAllowed: 0 });
    expect((await evict('p', body, query)).code).toBe(429);
    expect(api.store.writes.length).toBe(writes + 1);
  });

  it('is asked about as what was sent, and what follows is not asked about again', async () => {
    const seen: string[] = [];
    const noting: AdmissionPlugin = {
      name: 'Noting',
      handles: () => true,
      validate(attributes: Attributes) {
        const { operation, resource, subresource, kind, name, user } = attributes;
        seen.push(`${operation} ${resource}/${subresource} ${kind} ${name} by ${user.name}`);
        if (attributes.object?.metadata?.labels?.stop) throw refusal(attributes, 'not now');
      },
    };
    await start([noting]);
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 1 });
    seen.length = 0;
    const refused = await evict('p', { metadata: { name: 'p', labels: { stop: 'yes' } } });
    expect(refused).toMatchObject({ code: 403, status: { message: expect.stringContaining('not now') } });
    expect(budgetStatus().disruptionsAllowed).toBe(1);
    await evict('p');
    expect(seen).toEqual([
      'CREATE pods/eviction Eviction p by admin',
      'CREATE pods/eviction Eviction p by admin',
      'UPDATE poddisruptionbudgets/status PodDisruptionBudget b by system:apiserver',
    ]);
  });
});

describe('feature gates', () => {
  it('PodDisruptionConditions: without it nothing is said of why', async () => {
    await start([], { PodDisruptionConditions: false });
    await runningPod('p');
    expect((await evict('p')).code).toBe(201);
    expect(JSON.stringify(pod('p').status)).not.toContain('DisruptionTarget');
  });

  it('PDBUnhealthyPodEvictionPolicy: without it budgets have no say in that', async () => {
    await start([], { PDBUnhealthyPodEvictionPolicy: false });
    await runningPod('p', false);
    const nobody = { disruptionsAllowed: 0, currentHealthy: 0 };
    await budget('b', nobody, { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect((await evict('p')).code).toBe(429);
  });
});

describe('the budget', () => {
  it.each([
    ['Pending', true],
    ['Succeeded', true],
    ['Failed', true],
    ['Running', false],
    ['Unknown', false],
  ])('does not keep pods that are %s: %s', async (phase, goes) => {
    await start();
    await runningPod('p');
    await setStatus('pods', 'p', { phase, conditions: [{ type: 'Ready', status: 'True' }] });
    await budget('b', { disruptionsAllowed: 0 });
    expect((await evict('p')).code).toBe(goes ? 201 : 429);
    expect(budgetStatus().disruptedPods).toBeUndefined();
  });

  it.each([
    ['not by default', {}, { currentHealthy: 1, desiredHealthy: 2 }, 429],
    ['while enough others are healthy', {}, { currentHealthy: 2, desiredHealthy: 2 }, 201],
    ['but not when none is wanted', {}, { currentHealthy: 0, desiredHealthy: 0 }, 429],
    ['when it says so', { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, { currentHealthy: 0, desiredHealthy: 2 }, 201],
    ['not by the other policy', { unhealthyPodEvictionPolicy: 'IfHealthyBudget' }, { desiredHealthy: 3 }, 429],
  ])('lets pods that are not ready go %s', async (_what, spec, status, code) => {
    await start();
    await runningPod('p', false);
    await budget('b', { disruptionsAllowed: 0, ...status }, spec);
    expect((await evict('p')).code).toBe(code);
    expect(budgetStatus().disruptedPods).toBeUndefined();
  });

  const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`p${at}`, '2024-01-01T00:00:00Z']));
  it.each([
    [{ disruptionsAllowed: 0 }, 429, 'The disruption budget b needs 1 healthy pods and has 2 currently', undefined],
    [
      { disruptionsAllowed: 1, observedGeneration: 0 },
      429,
      'The disruption budget b is still being processed by the server.',
      '10',
    ],
    [{ disruptionsAllowed: -1 }, 403, 'pdb disruptions allowed is negative', undefined],
    [{ disruptionsAllowed: 1, disruptedPods: many }, 403, 'DisruptedPods map too big', undefined],
  ])('refuses with its reason: %#', async (status, code, why, after) => {
    await start();
    await runningPod('p');
    await budget('b', status);
    const refused = await evict('p');
    expect(refused.code).toBe(code);
    expect(refused.headers['retry-after']).toBe(after);
    const { message, details } = refused.status;
    if (code === 429) {
      expect(message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
      expect(details?.causes).toEqual([{ reason: 'DisruptionBudget', message: why }]);
    } else expect(message).toContain(why);
  });

  it('counts as well where budgets are switched off: another server may serve them', async () => {
    await start();
    await runningPod('p');
    await budget('b', { disruptionsAllowed: 0 });
    const other = await testApi({}, 'kubernetes', api.store, {}, [], [], {}, ['poddisruptionbudgets']);
    const path = '/api/v1/namespaces/default/pods/p/eviction';
    const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
    const one = await openServer(listenerOf(other));
    const ask = () => one.ask(path, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
    expect((await ask()).status).toBe(429);
    await setStatus('poddisruptionbudgets', 'b', { ...budgetStatus(), disruptionsAllowed: 1 });
    expect((await ask()).status).toBe(201);
    expect(budgetStatus().disruptionsAllowed).toBe(0);
    await one.close();
    other.close();
  });

  it('may be one only', async () => {
    await start();
    await runningPod('p');
    await budget('a', { disruptionsAllowed: 1 });
    await budget('b', { disruptionsAllowed: 1 });
    const refused = await evict('p');
    expect(refused).toMatchObject({ code: 500, status: { message: expect.stringContaining('more than one') } });
    expect(pod('p').metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('is of those that its selector names', async () => {
    await start();
    await runningPod('p');
    await budget('other', { disruptionsAllowed: 0 }, { selector: { matchLabels: { app: 'other' } } });
    expect((await evict('p')).code).toBe(201);
  });
});
