import type { SentAs } from '@orch/admission';
import { targetOf } from '@orch/admission/testing';
import { type ApiObject, copy } from '@orch/machinery';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServedForms } from './reviewed-forms.js';

let api: TestApi;
let forms: ServedForms;
beforeAll(async () => {
  api = await testApi({}, 'kubernetes');
  forms = new ServedForms(() => ({ served: api.served, scheme: api.deps.scheme, maxValues: 1000 }));
});
afterAll(() => api?.close());

const patch = (...operations: object[]) => Buffer.from(JSON.stringify(operations));
const named = ({ resource, kind }: SentAs) =>
  `${resource.resource}.${resource.version}.${resource.group} as ${kind.kind}.${kind.version}.${kind.group}`;

test('objects have the kind of what is sent, which subresources may have of their own', () => {
  const as = (changed: Parameters<typeof targetOf>[0]) => named(forms.own(targetOf(changed)));
  expect(as({})).toBe('pods.v1. as Pod.v1.');
  expect(as({ subresource: 'status' })).toBe('pods.v1. as Pod.v1.');
  expect(as({ subresource: 'eviction' })).toBe('pods.v1. as Eviction.v1.policy');
  const deployments = { group: 'apps', resource: 'deployments', kind: 'Deployment' };
  expect(as({ ...deployments, subresource: 'scale' })).toBe('deployments.v1.apps as Scale.v1.autoscaling');
});

test('the same objects are known in other versions and groups', () => {
  const others = (changed: Parameters<typeof targetOf>[0]) => forms.equivalents(targetOf(changed)).map(named);
  expect(others({})).toEqual([]);
  expect(others({ resource: 'events', kind: 'Event' })).toEqual(['events.v1.events.k8s.io as Event.v1.events.k8s.io']);
  const scaler = { group: 'autoscaling', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler' };
  expect(others({ ...scaler, version: 'v1' })).toContain(
    'horizontalpodautoscalers.v2.autoscaling as HorizontalPodAutoscaler.v2.autoscaling',
  );
});

test.each([
  ['binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { name: 'n' } }],
  ['eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }],
] as const)('what is sent to pods/%s can be changed', async (subresource, object) => {
  const as = forms.own(targetOf({ subresource, kind: object.kind }));
  const added = patch({ op: 'add', path: '/metadata/labels', value: { a: 'b' } });
  const patched = await forms.patched(object as ApiObject, added, as);
  expect(patched).toMatchObject({ changed: true, object: { ...object, metadata: { name: 'a', labels: { a: 'b' } } } });
});

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default' },
  spec: { containers: [{ name: 'c' }] },
};

test('a patch that makes nothing else of an object is no change, and an empty one is none', async () => {
  const as = forms.own(targetOf({}));
  const same = patch({ op: 'replace', path: '/metadata/name', value: 'a' });
  expect((await forms.patched(POD as unknown as ApiObject, same, as))?.changed).toBe(false);
  expect(await forms.patched(POD as unknown as ApiObject, patch(), as)).toBeUndefined();
  expect(await forms.patched(POD as unknown as ApiObject, Buffer.from('null'), as)).toBeUndefined();
});

test('what is sent has what is always written, and what a patch leaves of that is not stored', async () => {
  const as = forms.own(targetOf({}));
  const own = copy(POD) as unknown as ApiObject;
  const sent = await forms.sent(own, targetOf({}), as);
  const metadata = { ...POD.metadata, creationTimestamp: null };
  expect(sent).toEqual({ ...POD, metadata, spec: { containers: [{ name: 'c', resources: {} }] }, status: {} });
  expect(own).toEqual(POD);
  const limits = { op: 'add', path: '/spec/containers/0/resources/limits', value: { cpu: '1' } };
  const limited = await forms.patched(sent, patch(limits), as);
  expect(limited?.object).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: '1' } } }] } });
  const labelled = await forms.patched(sent, patch({ op: 'add', path: '/metadata/labels', value: { a: 'b' } }), as);
  await forms.take(own, labelled?.object ?? {}, targetOf({}), as);
  expect(own.metadata).toEqual({ ...POD.metadata, labels: { a: 'b' } });
  expect(own.status).toBeUndefined();
  expect(JSON.stringify(own.spec)).not.toContain('resources');
});

test.each([
  ['no patch', Buffer.from('{}')],
  ['no JSON', Buffer.from('x')],
  ['a path that is not there', patch({ op: 'remove', path: '/spec/none/at' })],
  ['another type', patch({ op: 'replace', path: '/spec/containers', value: 'text' })],
  ['no object', patch({ op: 'replace', path: '', value: [] })],
  ['too many values', patch({ op: 'add', path: '/metadata/finalizers', value: Array(2000).fill('x') })],
])('a patch cannot be carried out that is %s', async (_what, operations) => {
  await expect(forms.patched(POD as unknown as ApiObject, operations, forms.own(targetOf({})))).rejects.toThrow();
});

test('the operations of a patch are told with all their digits', async () => {
  const number = Buffer.from('[{"op":"add","path":"/spec/activeDeadlineSeconds","value":9007199254740993}]');
  const patched = await forms.patched(POD as unknown as ApiObject, number, forms.own(targetOf({})));
  expect(patched?.operations()).toBe(number.toString());
});
