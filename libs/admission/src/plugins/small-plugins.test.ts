import type { ApiObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../attributes.js';
import { attributesOf, pluginOf, refusalOf, TestObjects, targetOf } from '../testing/index.js';

/** What becomes of an object that is created. */
async function made(name: string, target: Partial<Attributes>, object: ApiObject, objects = new TestObjects()) {
  const plugin = pluginOf(name, { objects });
  const attributes = attributesOf({ ...target, object });
  expect(plugin.handles(attributes)).toBe(true);
  await plugin.admit?.(attributes);
  return object;
}

describe('TaintNodesByCondition', () => {
  const NODES = { resource: 'nodes', namespace: '' };
  const TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  const taintsOf = async (...taints: object[]) =>
    ((await made('TaintNodesByCondition', NODES, { spec: { taints } })).spec as { taints: object[] }).taints;

  it('taints new nodes, once', async () => {
    expect(await taintsOf()).toEqual([TAINT]);
    expect(await taintsOf({ ...TAINT, value: 'x' })).toEqual([{ ...TAINT, value: 'x' }]);
    const other = { ...TAINT, effect: 'NoExecute' };
    expect(await taintsOf(other)).toEqual([other, TAINT]);
  });

  it('leaves them alone later', () => {
    const plugin = pluginOf('TaintNodesByCondition');
    expect(plugin.handles(targetOf({ ...NODES, operation: 'UPDATE' }))).toBe(false);
    expect(plugin.handles(targetOf({ ...NODES, subresource: 'status' }))).toBe(false);
  });
});

describe('StorageObjectInUseProtection', () => {
  it.each([
    ['persistentvolumes', 'kubernetes.io/pv-protection'],
    ['persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ])('protects %s', async (resource, finalizer) => {
    const once = await made('StorageObjectInUseProtection', { resource }, { metadata: { finalizers: ['a/b'] } });
    expect(once.metadata?.finalizers).toEqual(['a/b', finalizer]);
    await made('StorageObjectInUseProtection', { resource }, once);
    expect(once.metadata?.finalizers).toEqual(['a/b', finalizer]);
    expect(pluginOf('StorageObjectInUseProtection').handles(targetOf({ resource, operation: 'UPDATE' }))).toBe(false);
  });
});

const YES = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const classOf = (name: string, annotations: Record<string, string>, creationTimestamp = '2026-01-01T00:00:00Z') => ({
  metadata: { name, annotations, creationTimestamp },
});

describe('DefaultStorageClass', () => {
  const CLAIMS = { resource: 'persistentvolumeclaims' };
  const classFor = async (claim: ApiObject, ...classes: ApiObject[]) => {
    const objects = new TestObjects().put('storage.orch.io', 'storageclasses', ...classes);
    const object = await made('DefaultStorageClass', CLAIMS, claim, objects);
    return (object.spec as { storageClassName?: string } | undefined)?.storageClassName;
  };

  it('gives claims without a class the newest default one', async () => {
    const old = classOf('a-old', YES, '2025-01-01T00:00:00Z');
    expect(await classFor({ spec: {} }, old, classOf('c', YES), classOf('b', YES), classOf('a', {}))).toBe('b');
    expect(await classFor({}, classOf('beta', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }))).toBe(
      'beta',
    );
    expect(await classFor({ spec: {} }, classOf('a', { ...YES, [Object.keys(YES)[0] ?? '']: 'yes' }))).toBeUndefined();
  });

  it('leaves those alone that name one, be it none', async () => {
    expect(await classFor({ spec: { storageClassName: '' } }, classOf('b', YES))).toBe('');
    const noted = { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } }, spec: {} };
    expect(await classFor(noted, classOf('b', YES))).toBeUndefined();
  });
});

describe('DefaultIngressClass', () => {
  const INGRESSES = { group: 'networking.k8s.io', resource: 'ingresses' };
  const DEFAULT = classOf('nginx', { 'ingressclass.kubernetes.io/is-default-class': 'true' });
  const classFor = async (ingress: ApiObject, ...classes: ApiObject[]) => {
    const objects = new TestObjects().put('networking.orch.io', 'ingressclasses', ...classes);
    const object = await made('DefaultIngressClass', INGRESSES, ingress, objects);
    return (object.spec as { ingressClassName?: string } | undefined)?.ingressClassName;
  };

  it('gives ingresses without a class the default one', async () => {
    expect(await classFor({}, classOf('a', {}), DEFAULT)).toBe('nginx');
    expect(await classFor({})).toBeUndefined();
  });

  it('leaves those alone that name one', async () => {
    expect(await classFor({ spec: { ingressClassName: 'mine' } }, DEFAULT)).toBe('mine');
    expect(
      await classFor({ metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } } }, DEFAULT),
    ).toBeUndefined();
  });
});

describe('PersistentVolumeClaimResize', () => {
  const objects = new TestObjects().put(
    ...(['storage.orch.io', 'storageclasses'] as const),
    { metadata: { name: 'grows' }, allowVolumeExpansion: true },
    { metadata: { name: 'stays' } },
  );
  const claim = (storage: string, storageClassName?: string, phase = 'Bound') => ({
    spec: { resources: { requests: { storage } }, ...(storageClassName !== undefined && { storageClassName }) },
    status: { phase },
  });
  const change = (oldObject: ApiObject, object: ApiObject) => {
    const target = { resource: 'persistentvolumeclaims', operation: 'UPDATE', oldObject, object } as const;
    return refusalOf(pluginOf('PersistentVolumeClaimResize', { objects }), attributesOf(target));
  };
  const NEVER =
    'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

  it('lets claims grow of which the class allows it', async () => {
    expect(await change(claim('1Gi', 'grows'), claim('2Gi', 'grows'))).toBeUndefined();
    expect(await change(claim('1Gi', 'stays'), claim('2Gi', 'stays'))).toBe(NEVER);
    expect(await change(claim('1Gi', 'gone'), claim('2Gi', 'gone'))).toBe(NEVER);
    expect(await change(claim('1Gi'), claim('2Gi'))).toBe(NEVER);
    expect(await change(claim('1Gi', 'stays'), claim('2Gi', 'grows'))).toBe(NEVER);
  });

  it('has nothing to say where they do not', async () => {
    expect(await change(claim('1Gi', 'stays'), claim('1024Mi', 'stays'))).toBeUndefined();
    expect(await change(claim('2Gi', 'stays'), claim('1Gi', 'stays'))).toBeUndefined();
  });

  it('refuses it to those that are not bound', async () => {
    expect(await change(claim('1Gi', 'grows', 'Pending'), claim('2Gi', 'grows'))).toBe(
      'persistentvolumeclaims "a" is forbidden: Only bound persistent volume claims can be expanded',
    );
  });
});

describe('AlwaysDeny', () => {
  const denied = pluginOf('AlwaysDeny');

  it('refuses whatever is written, but for what the server has to write', async () => {
    const why = 'admission control is denying all modifications';
    expect(await refusalOf(denied, attributesOf())).toBe(`pods "a" is forbidden: ${why}`);
    expect(await refusalOf(denied, attributesOf({ operation: 'DELETE', group: 'apps', resource: 'deployments' }))).toBe(
      `deployments.apps "a" is forbidden: ${why}`,
    );
    const user = { name: 'system:apiserver', groups: ['system:masters'], extra: {} };
    expect(await refusalOf(denied, attributesOf({ user }))).toBeUndefined();
  });
});

it('AlwaysAdmit has nothing to say', () => {
  expect(pluginOf('AlwaysAdmit').handles(targetOf({}))).toBe(false);
});
