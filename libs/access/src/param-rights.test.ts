import type { RequestAttributes } from '@orch/authorization';
import type { ApiObject } from '@orch/machinery';
import { MemoryStore, type TestApi, testApi } from '@orch/testing';
import type { Draft } from '@orch/writing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ParamRights } from './param-rights.js';

const GROUP = 'admissionregistration.orch.io';
const POLICY = { spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } };

let api: TestApi;
beforeAll(async () => {
  api = await testApi({}, 'orch', new MemoryStore());
});
afterAll(() => api.close());

/** What an author is told, and what it was asked whether he may. */
async function written(
  resource: string,
  spec: object,
  more: { old?: object; groups?: string[]; allowed?: boolean } = {},
) {
  const asked: string[] = [];
  const { old, groups = ['devs'], allowed = false } = more;
  const authorizer = {
    authorize: async (_user: unknown, { verb, group, version, resource: of, namespace, name }: RequestAttributes) => {
      asked.push([verb, group, version, of, namespace, name].join(' '));
      return { decision: allowed ? 'allow' : 'no-opinion', reason: '' } as const;
    },
  };
  const rights = new ParamRights({
    group: GROUP,
    served: api.served,
    policy: async (name) => (name === 'p' ? (POLICY as unknown as ApiObject) : undefined),
  });
  const object = { metadata: { name: 'x' }, spec } as unknown as ApiObject;
  const draft = {
    request: {
      endpoint: { definition: { group: GROUP, resource, kind: 'X' }, groupResource: { group: GROUP, resource } },
      subresource: '',
      caller: { user: { name: 'jane', groups, extra: { b: ['1', '2'], a: [] } }, access: { authorizer } },
    },
    wanted: object,
    before: old && { metadata: { name: 'x' }, spec: old },
  } as unknown as Draft;
  const refused = await Promise.resolve(rights.check(draft)).catch((error: Error) => error.message);
  return { asked, refused };
}

const USER = 'user &{jane  [devs] map[a:[] b:[1 2]]}';

test('who writes a policy can read all that it names', async () => {
  const resource = 'validatingadmissionpolicies';
  const spec = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
  expect(await written(resource, spec)).toEqual({
    asked: ['get  v1 configmaps * *'],
    refused: `X.${GROUP} "x" is invalid: spec.paramKind: Forbidden: ${USER} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
  });
  expect((await written(resource, spec, { allowed: true })).refused).toBeUndefined();
  const unasked = { asked: [], refused: undefined };
  expect(await written(resource, spec, { old: spec })).toEqual(unasked);
  expect(await written(resource, {})).toEqual(unasked);
  expect(await written(resource, spec, { groups: ['system:masters'] })).toEqual(unasked);
  const unknown = { paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' } };
  expect((await written(resource, unknown)).asked).toEqual(['get example.com v1 * * *']);
});

test('who writes a binding can read the object that it names', async () => {
  const resource = 'validatingadmissionpolicybindings';
  const spec = { policyName: 'p', paramRef: { name: 'c', namespace: 'n' } };
  expect(await written(resource, spec)).toEqual({
    asked: ['get  v1 configmaps n c'],
    refused: `X.${GROUP} "x" is invalid: spec.paramRef: Forbidden: ${USER} does not have "get" permission on the object referenced by paramRef`,
  });
  expect((await written(resource, spec, { allowed: true })).refused).toBeUndefined();
  expect((await written(resource, spec, { old: spec })).asked).toEqual([]);
  expect((await written(resource, { ...spec, policyName: 'q' }, { old: spec })).asked).toEqual(['get * * * n c']);
  expect((await written(resource, { policyName: 'p' })).asked).toEqual([]);
});

test('who writes a binding of all objects with certain labels can list them', async () => {
  const resource = 'validatingadmissionpolicybindings';
  const spec = { policyName: 'p', paramRef: { selector: { matchLabels: { a: 'b' } } } };
  expect(await written(resource, spec)).toEqual({
    asked: ['list  v1 configmaps  '],
    refused: `X.${GROUP} "x" is invalid: spec.paramRef: Forbidden: ${USER} does not have "list" permission on the object referenced by paramRef`,
  });
  const within = { ...spec, paramRef: { ...spec.paramRef, namespace: 'n' } };
  expect((await written(resource, within, { old: spec })).asked).toEqual(['list  v1 configmaps n ']);
  expect((await written(resource, spec, { old: spec })).asked).toEqual([]);
});
