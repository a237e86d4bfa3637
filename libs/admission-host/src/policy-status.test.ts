import { type CheckedPolicy, typeWarnings } from '@orch/admission';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, fromStored, storedEndpoint } from '@orch/resources';
import { ManualInformer } from '@orch/runtime/testing';
import { followedOn, MemoryStore, runControllers, type TestApi, testApi } from '@orch/testing';
import { serverItself } from '@orch/writing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyStatus } from './policy-status.js';
import { ServedKindForms } from './served-forms.js';

const GROUP = 'admissionregistration.orch.io';
const RESOURCE = 'validatingadmissionpolicies';
const DEPLOYMENTS = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
const POLL = { timeout: 30_000, interval: 20 };

let api: TestApi;
beforeAll(async () => {
  api = await testApi({}, 'orch', new MemoryStore());
});
afterAll(() => api.close());

const warningsOf = (resourceRules: readonly object[], expression: string, more: Partial<CheckedPolicy> = {}) =>
  typeWarnings(
    { matchConstraints: { resourceRules }, validations: [{ expression }], ...more },
    new ServedKindForms(api.deps),
  );

describe('types of expressions of policies', () => {
  it('are those of the kinds that rules name', async () => {
    const wrong = "object.spec.replicas == 'a'";
    expect(await warningsOf([DEPLOYMENTS], 'object.spec.replicas > 1')).toEqual([]);
    expect(await warningsOf([DEPLOYMENTS], wrong)).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning: `apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(int, string)'\n | ${wrong}\n | .....................^`,
      },
    ]);
    const pods = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
    const [both] = await warningsOf([DEPLOYMENTS, pods, DEPLOYMENTS], 'object.nothing == 1');
    expect(both?.warning.match(/\S+, Kind=\S+/g)).toEqual(['/v1, Kind=Pod:', 'apps/v1, Kind=Deployment:']);
  });

  it.each([
    [{ ...DEPLOYMENTS, apiGroups: ['*'] }],
    [{ ...DEPLOYMENTS, apiVersions: ['*'] }],
    [{ ...DEPLOYMENTS, resources: ['*', 'deployments/status'] }],
    [{ ...DEPLOYMENTS, apiGroups: ['example.com'] }],
  ])('are not looked at where rules name none: %j', async (rule) => {
    expect(await warningsOf([rule], 'object.nothing == 1')).toEqual([]);
  });

  it('of parameters are known where their kind is', async () => {
    const of = (kind: string) =>
      warningsOf([DEPLOYMENTS], 'params.nothing == 1', { paramKind: { apiVersion: 'v1', kind } });
    expect(await of('ConfigMap')).toHaveLength(1);
    expect(await of('Nothing')).toEqual([]);
  });

  it('do not fill the status without end', async () => {
    const expression = `object.${'x'.repeat(16_000)} == 1`;
    const validations = Array.from({ length: 100 }, () => ({ expression }));
    const warnings = await warningsOf([DEPLOYMENTS], '', { validations });
    expect(warnings.length).toBeLessThan(10);
  });
});

describe('the status of policies', () => {
  const request = (operation: 'CREATE' | 'UPDATE', endpoint: Endpoint, name = 'p') => ({
    ...{ operation, endpoint, key: { namespace: '', name }, subresource: '' },
    ...{ caller: serverItself(), options: { dryRun: false } },
  });
  const spec = (expression: string) => ({
    failurePolicy: 'Fail',
    matchConstraints: {
      ...{ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
      resourceRules: [{ ...DEPLOYMENTS, operations: ['CREATE'] }],
    },
    validations: [{ expression }],
  });

  it('is not written any more by a process that has lost the lease meanwhile', async () => {
    const { deps } = api;
    const endpoint = storedEndpoint(deps, GROUP, RESOURCE);
    const create = () => ({ metadata: { name: 'late' }, spec: spec('object.nothing == 1') }) as ApiObject;
    await deps.pipeline.write(request('CREATE', endpoint, 'late'), { create });
    const row = await api.store.get(endpoint.type, { namespace: '', name: 'late' });
    const policy = row && fromStored(row, endpoint);
    let goesOn = true;
    const policies = new ManualInformer<ApiObject>(policy ? [['late', policy]] : []);
    const catchUp = async () => {
      goesOn = false;
    };
    const run = {
      get goesOn() {
        return goesOn;
      },
    };
    const { reconcile } = policyStatus({ deps, endpoint, policies, catchUp });
    await expect(reconcile('late', run)).rejects.toMatchObject({ code: 503 });
    expect((await api.store.get(endpoint.type, { namespace: '', name: 'late' }))?.version).toBe(row?.version);
  });

  it('tells of each generation once', async () => {
    const { deps } = api;
    const endpoint = storedEndpoint(deps, GROUP, RESOURCE);
    const followed = followedOn(api);
    const policies = followed.follow(RESOURCE, GROUP);
    const controllers = [policyStatus({ deps, endpoint, policies: policies.informer, catchUp: async () => undefined })];
    const running = await runControllers({ ...followed, controllers });
    const create = () => ({ metadata: { name: 'p' }, spec: spec('object.nothing == 1') }) as ApiObject;
    await deps.pipeline.write(request('CREATE', endpoint), { create });
    const status = () => policies.get('', 'p')?.status as Record<string, unknown> | undefined;
    await expect.poll(() => status()?.observedGeneration, POLL).toBe(1);
    expect(status()).toMatchObject({
      typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0].expression' }] },
    });
    const change = (current: ApiObject) => ({ ...current, spec: spec('object.spec.replicas == 1') }) as ApiObject;
    await deps.pipeline.write(request('UPDATE', endpoint), { change });
    await expect.poll(() => status()?.observedGeneration, POLL).toBe(2);
    expect(status()).toEqual({ observedGeneration: 2, typeChecking: {} });
    await running.stop();
  });
});
