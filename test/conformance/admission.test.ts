import { expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import { conformance, expectRefusal, expectStatus, namesIn } from './conformance.js';

const pods = (ns: string) => `/api/v1/namespaces/${ns}/pods`;
const podOf = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const accounts = (ns: string) => `/api/v1/namespaces/${ns}/serviceaccounts`;
const ROUNDS = 10;

conformance('Admission plugins [Admission stages]', ({ api, names, namespace }) => {
  const classes = `/apis/${names.group('scheduling.orch.io')}/v1/priorityclasses`;

  test('a pod right behind its namespace runs as its account, with token, priority and tolerations', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ns = await namespace();
      const pod = expectStatus(await api.post(pods(ns), podOf('p')), 201).json<ApiObject>();
      const mountPath = `/var/run/secrets/${names.key('orch.io/serviceaccount')}`;
      const notOn = (key: string) => ({
        key: names.key(key),
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      });
      expect(pod.spec).toMatchObject({
        serviceAccountName: 'default',
        serviceAccount: 'default',
        priority: 0,
        preemptionPolicy: 'PreemptLowerPriority',
        tolerations: [notOn('node.orch.io/not-ready'), notOn('node.orch.io/unreachable')],
        volumes: [{ name: expect.stringMatching(/^kube-api-access-/), projected: { defaultMode: 420 } }],
        containers: [{ volumeMounts: [{ readOnly: true, mountPath }] }],
      });
      // Written back as it was read it is as it was.
      const path = `${pods(ns)}/p`;
      const again = expectStatus(await api.put(path, pod), 200).json<ApiObject>();
      expect(again.metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
    }
  });

  test('a limit holds from the answer to its creation on', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ns = await namespace();
      const limits = [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '500m' } }];
      const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'r' }, spec: { limits } };
      expectStatus(await api.post(`/api/v1/namespaces/${ns}/limitranges`, range), 201);
      const { spec } = expectStatus(await api.post(pods(ns), podOf('p')), 201).json<ApiObject>();
      expect(spec).toMatchObject({
        containers: [{ resources: { limits: { cpu: '500m' }, requests: { cpu: '500m' } } }],
      });
      const containers = [{ name: 'c', image: 'i', resources: { limits: { cpu: '2' } } }];
      const refused = expectRefusal(await api.post(pods(ns), podOf('q', { containers })), 403, 'Forbidden');
      expect(refused.message).toBe('pods "q" is forbidden: maximum cpu usage per Container is 1, but limit is 2');
    }
  });

  test('an account comes into every namespace, and again', async () => {
    const ns = await namespace();
    const path = `${accounts(ns)}/default`;
    const status = async () => (await api.get(path)).status;
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
    const { uid } = (await api.get(path)).json<ApiObject>().metadata;
    expectStatus(await api.delete(path), 200);
    const other = async () => {
      const answer = await api.get(path);
      return answer.status === 200 && answer.json<ApiObject>().metadata.uid !== uid;
    };
    await expect.poll(other, { timeout: 30_000 }).toBe(true);
    expect(namesIn((await api.get(`/api/v1/namespaces/${ns}/configmaps`)).json())).toEqual([]);
  });

  test('a pod that is only tried leaves nothing behind', async () => {
    const ns = await namespace();
    const missing = expectRefusal(
      await api.post(`${pods(ns)}?dryRun=All`, podOf('p', { serviceAccountName: 'no' })),
      403,
      'Forbidden',
    );
    expect(missing.message).toBe(
      `pods "p" is forbidden: error looking up service account ${ns}/no: serviceaccount "no" not found`,
    );
    expectStatus(await api.post(`${pods(ns)}?dryRun=All`, podOf('p')), 201);
    expectStatus(await api.get(`${pods(ns)}/p`), 404);
  });

  test('what no cluster works without is there, and stays', async () => {
    for (const name of ['system-node-critical', 'system-cluster-critical'])
      expectStatus(await api.get(`${classes}/${name}`), 200);
    for (const name of ['default', 'kube-system', 'kube-public']) {
      const refused = expectRefusal(await api.delete(`/api/v1/namespaces/${name}`), 403, 'Forbidden');
      expect(refused.message).toBe(`namespaces "${name}" is forbidden: this namespace may not be deleted`);
    }
    const ns = await namespace();
    const spec = { priorityClassName: 'system-node-critical' };
    const pod = expectStatus(await api.post(pods(ns), podOf('p', spec)), 201).json<ApiObject>();
    expect(pod.spec).toMatchObject({ priority: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' });
  });

  test('who creates something in a namespace that is not there is told of that first', async () => {
    const refused = expectRefusal(await api.post(pods('not-there'), { metadata: { name: 'p' } }), 404, 'NotFound');
    expect(refused.message).toBe('namespaces "not-there" not found');
  });
});
