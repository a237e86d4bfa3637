import { expect, test } from 'vitest';
import { conformance, conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

const pods = (ns: string) => `/api/v1/namespaces/${ns}/pods`;
const podOf = (name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...more },
});
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

conformance('Binding of pods [Path shapes]', ({ api, names, namespace }) => {
  const binding = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, annotations: { from: 'scheduler' } },
    target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
    ...more,
  });

  test('sets node, annotations and condition in one change', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), podOf('p')), 201);
    const stream = await api.watch(`${pods(ns)}?watch=1`);
    await stream.take(1);
    expect(expectStatus(await api.post(`${pods(ns)}/p/binding`, binding('p')), 201).json()).toEqual(SUCCESS);
    const [changed] = await stream.take(1);
    expect(changed).toMatchObject({
      type: 'MODIFIED',
      object: {
        metadata: { annotations: { from: 'scheduler' } },
        spec: { nodeName: 'n1' },
        status: { conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null }] },
      },
    });
    stream.close();
    const again = expectRefusal(await api.post(`${pods(ns)}/p/binding`, binding('p')), 409, 'Conflict');
    expect(again.message).toBe(
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    );
  });

  test('stands at bindings too, in protobuf as well', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), podOf('p')), 201);
    const made = await api.request('POST', `/api/v1/namespaces/${ns}/bindings`, {
      body: binding('p'),
      headers: { 'content-type': 'application/json', accept: names.protobufMediaType },
    });
    expect(expectStatus(made, 201).body.subarray(0, 4)).toEqual(Buffer.from('k8s\0'));
    expect(expectStatus(await api.get(`${pods(ns)}/p`), 200).json().spec.nodeName).toBe('n1');
  });

  test('wants the pod that it names, in the state that it names', async () => {
    const ns = await namespace();
    const { uid, resourceVersion } = expectStatus(await api.post(pods(ns), podOf('p')), 201).json().metadata;
    const path = `${pods(ns)}/p/binding`;
    expectRefusal(await api.post(path, binding('p', { metadata: { name: 'p', uid: 'x' } })), 409, 'Conflict');
    expectRefusal(
      await api.post(path, binding('p', { metadata: { name: 'p', resourceVersion: '1' } })),
      409,
      'Conflict',
    );
    expectRefusal(await api.post(path, binding('q')), 400, 'BadRequest');
    expectRefusal(await api.post(`${pods(ns)}/q/binding`, binding('q')), 404, 'NotFound');
    expectRefusal(await api.post(path, binding('p', { target: { kind: 'Pod', name: 'x' } })), 422, 'Invalid');
    const odd = { metadata: { name: 'a\0b' } };
    expectRefusal(await api.post(`/api/v1/namespaces/${ns}/bindings`, binding('x', odd)), 404, 'NotFound');
    const strict = await api.post(`${path}?fieldValidation=Strict`, binding('p', { wrong: 1 }));
    expect(expectRefusal(strict, 400, 'BadRequest').message).toContain('unknown field "wrong"');
    expectStatus(await api.post(`${path}?dryRun=All`, binding('p')), 201);
    expect(expectStatus(await api.get(`${pods(ns)}/p`), 200).json().spec).not.toHaveProperty('nodeName');
    expectStatus(await api.post(path, binding('p', { metadata: { name: 'p', uid, resourceVersion } })), 201);
  });
});

conformanceWithoutNames('Eviction of pods [Path shapes]', ({ api, namespace }) => {
  const labels = { app: 'web' };
  const budgets = (ns: string) => `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`;
  const eviction = (name: string, deleteOptions?: object, apiVersion = 'policy/v1') => ({
    apiVersion,
    kind: 'Eviction',
    metadata: { name },
    ...(deleteOptions && { deleteOptions }),
  });

  /** Pods on a node that are ready, and a budget that lets `allowed` of them go. */
  async function guarded(ns: string, names: readonly string[], allowed: number): Promise<void> {
    for (const name of names) {
      expectStatus(await api.post(pods(ns), podOf(name, { nodeName: 'n' }, { labels })), 201);
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      expectStatus(await api.patch(`${pods(ns)}/${name}/status`, 'merge', { status }), 200);
    }
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' } };
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    expectStatus(await api.post(budgets(ns), { ...budget, spec }), 201);
    const counts = { desiredHealthy: 1, currentHealthy: names.length, expectedPods: names.length };
    const status = { ...counts, observedGeneration: 1, disruptionsAllowed: allowed };
    expectStatus(await api.patch(`${budgets(ns)}/b/status`, 'merge', { status }), 200);
  }

  const budgetStatus = async (ns: string) => expectStatus(await api.get(`${budgets(ns)}/b`), 200).json().status;

  test.each(['policy/v1', 'policy/v1beta1'])('as %s deletes the pod and says why', async (apiVersion) => {
    const ns = await namespace();
    await guarded(ns, ['p'], 1);
    const evicted = await api.post(`${pods(ns)}/p/eviction`, eviction('p', { gracePeriodSeconds: 7 }, apiVersion));
    expect(expectStatus(evicted, 201).json()).toEqual(SUCCESS);
    const pod = expectStatus(await api.get(`${pods(ns)}/p`), 200).json();
    expect(pod.metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
    expect(pod.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI', status: 'True' }),
    );
    expect(await budgetStatus(ns)).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { p: expect.any(String) } });
  });

  test('of many pods at once lets as many go as the budget says', async () => {
    const ns = await namespace();
    const all = Array.from({ length: 6 }, (_, at) => `p${at}`);
    await guarded(ns, all, 2);
    const answers = await Promise.all(all.map((name) => api.post(`${pods(ns)}/${name}/eviction`, eviction(name))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    if (!refused) throw new Error('none was refused');
    const status = expectRefusal(refused, 429, 'TooManyRequests');
    expect(status.details?.causes).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 6 currently' },
    ]);
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect((await budgetStatus(ns)).disruptionsAllowed).toBe(0);
  });

  test('that is refused has taken nothing from the budget', async () => {
    const ns = await namespace();
    await guarded(ns, ['p'], 1);
    const path = `${pods(ns)}/p/eviction`;
    const before = await budgetStatus(ns);
    expectRefusal(await api.post(path, eviction('p', { preconditions: { uid: 'x' } })), 409, 'Conflict');
    expectRefusal(await api.post(path, eviction('p', { preconditions: { resourceVersion: '1' } })), 409, 'Conflict');
    expectRefusal(await api.post(path, eviction('p', { propagationPolicy: 'Sometimes' })), 422, 'Invalid');
    expectRefusal(await api.post(path, eviction('q')), 400, 'BadRequest');
    expectRefusal(await api.post(path, eviction('p', {}, 'policy/v2')), 400, 'BadRequest');
    expectRefusal(await api.post(`${path}?dryRun=All`, eviction('p', { dryRun: ['Some'] })), 400, 'BadRequest');
    expectRefusal(await api.post(`${pods(ns)}/q/eviction`, eviction('q')), 404, 'NotFound');
    expectStatus(await api.post(`${path}?dryRun=All`, eviction('p')), 201);
    expectStatus(await api.post(path, eviction('p', { dryRun: ['All'] })), 201);
    expect(await budgetStatus(ns)).toEqual(before);
    expect(expectStatus(await api.get(`${pods(ns)}/p`), 200).json().metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('waits until the budget is known', async () => {
    const ns = await namespace();
    await guarded(ns, ['p'], 1);
    expectStatus(await api.patch(`${budgets(ns)}/b`, 'merge', { spec: { minAvailable: 2 } }), 200);
    const refused = await api.post(`${pods(ns)}/p/eviction`, eviction('p'));
    expect(expectRefusal(refused, 429, 'TooManyRequests').details?.causes?.[0]?.message).toBe(
      'The disruption budget b is still being processed by the server.',
    );
    expect(refused.headers['retry-after']).toBe('10');
  });

  test('knows of one budget only', async () => {
    const ns = await namespace();
    await guarded(ns, ['p'], 1);
    const spec = { minAvailable: 0, selector: { matchLabels: labels } };
    const second = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'c' }, spec };
    expectStatus(await api.post(budgets(ns), second), 201);
    const refused = await api.post(`${pods(ns)}/p/eviction`, eviction('p'));
    expect(expectRefusal(refused, 500, 'InternalError').message).toBe(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  });

  test('of a pod that no node has takes it away at once', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), podOf('p')), 201);
    const stream = await api.watch(`${pods(ns)}?watch=1`);
    await stream.take(1);
    expectStatus(await api.post(`${pods(ns)}/p/eviction`, eviction('p')), 201);
    const [marked, gone] = await stream.take(2);
    expect([marked?.type, gone?.type]).toEqual(['MODIFIED', 'DELETED']);
    expect(marked?.object.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
    });
    expect(gone?.object.status.conditions[0]).toMatchObject({ type: 'DisruptionTarget' });
    stream.close();
  });
});
