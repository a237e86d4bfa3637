import { authenticated } from '@orch/authentication';
import type { ApiObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../attributes.js';
import { attributesOf, pluginOf, refusalOf } from '../../testing/asking.js';
import { TestObjects } from '../../testing/known-objects.js';

const userOf = (name: string, groups = ['system:nodes']) => authenticated({ name, groups, extra: {} }, 'x509').user;
const UID = 'n-uid';

/** Asks whether a write of the node `n` passes. */
function ask(changed: Partial<Attributes>, ...pods: readonly ApiObject[]): Promise<string | undefined> {
  const objects = new TestObjects().put('', 'nodes', { metadata: { name: 'n', uid: UID } });
  objects.put('', 'pods', ...pods);
  return refusalOf(
    pluginOf('NodeRestriction', { objects }),
    attributesOf({ user: userOf('system:node:n'), ...changed }),
  );
}

const pod = (nodeName: string, name = 'a'): ApiObject => ({
  metadata: { name, namespace: 'default', uid: 'p-uid' },
  spec: { nodeName },
});
const POD = 'pods "a" is forbidden:';

it('is about nodes alone', async () => {
  expect(await ask({ user: userOf('jane'), object: pod('other') })).toBeUndefined();
  expect(await ask({ user: userOf('system:node:n', []), object: pod('other') })).toBeUndefined();
  expect(await ask({ user: userOf('system:node:'), object: pod('n') })).toBe(
    `${POD} could not determine node from user "system:node:"`,
  );
  expect(await ask({ resource: 'secrets' })).toBeUndefined();
});

describe('new pods', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: UID, controller: true };
  const mirror = (metadata: object = {}, spec: object = {}): ApiObject => ({
    metadata: {
      name: 'a',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner],
      ...metadata,
    },
    spec: { nodeName: 'n', ...spec },
  });
  const container = (env: object) => ({ containers: [{ env: [env] }] });

  it('are copies of what runs on the node', async () => {
    expect(await ask({ object: mirror() })).toBeUndefined();
  });

  it.each<[object, object, string]>([
    [
      { annotations: {} },
      {},
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n" can only create mirror pods',
    ],
    [{}, { nodeName: 'm' }, 'node "n" can only create pods with spec.nodeName set to itself'],
    [
      { ownerReferences: [owner, owner] },
      {},
      'node "n" can only create pods with a single owner reference set to itself',
    ],
    [{ ownerReferences: [] }, {}, 'node "n" can only create pods with an owner reference set to itself'],
    [
      { ownerReferences: [{ ...owner, name: 'm' }] },
      {},
      'node "n" can only create pods with an owner reference set to itself',
    ],
    [
      { ownerReferences: [{ ...owner, controller: false }] },
      {},
      'node "n" can only create pods with a controller owner reference set to itself',
    ],
    [
      { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] },
      {},
      'node "n" must not set blockOwnerDeletion on an owner reference',
    ],
    [{ ownerReferences: [{ ...owner, uid: 'x' }] }, {}, 'node n UID mismatch: expected x got n-uid'],
    [{}, { serviceAccountName: 's' }, 'node "n" can not create pods that reference a service account'],
    [{}, { volumes: [{ secret: { secretName: 's' } }] }, 'node "n" can not create pods that reference secrets'],
    [
      {},
      container({ valueFrom: { configMapKeyRef: { name: 'c' } } }),
      'node "n" can not create pods that reference configmaps',
    ],
    [
      {},
      { volumes: [{ persistentVolumeClaim: { claimName: 'c' } }] },
      'node "n" can not create pods that reference persistentvolumeclaims',
    ],
    [
      {},
      { resourceClaims: [{ name: 'r', source: { resourceClaimName: 'c' } }] },
      'node "n" can not create pods that reference resourceclaims',
    ],
  ])('that are none are refused: %j %j', async (metadata, spec, why) => {
    expect(await ask({ object: mirror(metadata, spec) })).toBe(`${POD} ${why}`);
  });
});

describe('pods that are there', () => {
  it('are deleted, evicted and told about by their own node', async () => {
    const on = (node: string) => ({ oldObject: pod(node), object: pod(node) });
    const DELETE = { operation: 'DELETE' as const, object: undefined };
    const STATUS = { operation: 'UPDATE' as const, subresource: 'status' };
    expect(await ask({ ...on('n'), ...DELETE })).toBeUndefined();
    expect(await ask({ ...on('m'), ...DELETE })).toBe(
      `${POD} node "n" can only delete pods with spec.nodeName set to itself`,
    );
    expect(await ask({ ...on('n'), ...STATUS })).toBeUndefined();
    expect(await ask({ ...on('m'), ...STATUS })).toBe(
      `${POD} node "n" can only update pod status for pods with spec.nodeName set to itself`,
    );
    const labelled = { ...pod('n'), metadata: { name: 'a', labels: { a: 'b' } } };
    expect(await ask({ ...STATUS, oldObject: pod('n'), object: labelled })).toBe(
      `${POD} node "n" cannot update labels through pod status`,
    );
    const eviction = { subresource: 'eviction', kind: 'Eviction', object: { metadata: { name: 'a' } } };
    expect(await ask(eviction, pod('n'))).toBeUndefined();
    expect(await ask(eviction, pod('m'))).toBe(`${POD} node n can only evict pods with spec.nodeName set to itself`);
    expect(await ask(eviction)).toBe('pods "a" not found');
  });

  it('are changed by no node', async () => {
    expect(await ask({ operation: 'UPDATE', object: pod('n'), oldObject: pod('n') })).toBe(
      `${POD} unexpected operation "UPDATE", node "n" can only create and delete mirror pods`,
    );
    expect(await ask({ subresource: 'binding' })).toBe(
      `${POD} unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
    );
  });
});

describe('nodes', () => {
  const NODE = { resource: 'nodes', kind: 'Node', namespace: '', name: 'n' };
  const node = (labels: object, spec: object = {}): ApiObject => ({
    metadata: { name: 'n', labels: { ...labels } },
    spec,
  });
  const update = (object: ApiObject, oldObject = node({})) => ask({ ...NODE, operation: 'UPDATE', object, oldObject });
  const SELF = 'nodes "n" is forbidden:';

  it('write about themselves', async () => {
    const own = {
      'kubernetes.io/hostname': 'n',
      'kubelet.kubernetes.io/x': 'y',
      'x.node.kubernetes.io/y': 'z',
      'topology.kubernetes.io/zone': 'a',
      'beta.kubernetes.io/os': 'linux',
      'example.com/a': 'b',
      a: 'b',
    };
    expect(await ask({ ...NODE, object: node(own) })).toBeUndefined();
    expect(await update(node(own))).toBeUndefined();
    expect(await ask({ ...NODE, name: 'm', object: node({}) })).toBe(
      'nodes "m" is forbidden: node "n" is not allowed to modify node "m"',
    );
    expect(await ask({ ...NODE, operation: 'DELETE', oldObject: node({}) })).toBeUndefined();
  });

  it('give themselves no labels of the system that are not theirs, nor take them away', async () => {
    const labels = { 'node-restriction.kubernetes.io/a': 'b', 'kubernetes.io/x': 'y', 'x.k8s.io/z': '' };
    const reported = 'kubernetes.io/x, node-restriction.kubernetes.io/a, x.k8s.io/z';
    expect(await ask({ ...NODE, object: node(labels) })).toBe(
      `${SELF} node "n" is not allowed to set the following labels: ${reported}`,
    );
    expect(await update(node({}), node(labels))).toBe(`${SELF} is not allowed to modify labels: ${reported}`);
    expect(await update(node(labels), node(labels))).toBeUndefined();
  });

  it('change neither their taints nor where their configuration comes from', async () => {
    expect(await update(node({}, { taints: [{ key: 'a' }] }))).toBe(`${SELF} node "n" is not allowed to modify taints`);
    expect(await update(node({}, { taints: [] }))).toBeUndefined();
    expect(await update(node({}, { configSource: { a: 1 } }))).toBe(
      `${SELF} node "n" is not allowed to update configSource to a new non-nil configSource`,
    );
    expect(await ask({ ...NODE, object: node({}, { configSource: {} }) })).toBe(
      `${SELF} node "n" is not allowed to create pods with a non-nil configSource`,
    );
  });
});

it('nodes have themselves owned by nobody, whose end would be theirs', async () => {
  const NODE = { resource: 'nodes', kind: 'Node', namespace: '', name: 'n' };
  const owned = (...ownerReferences: object[]) => ({ metadata: { name: 'n', ownerReferences } }) as ApiObject;
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'gone', uid: 'u' };
  const refused = 'nodes "n" is forbidden: node "n" is not allowed to modify ownerReferences';
  const update = (oldObject: ApiObject, object: ApiObject) => ask({ ...NODE, operation: 'UPDATE', object, oldObject });
  expect(await ask({ ...NODE, object: owned(owner) })).toBe(refused);
  expect(await update(owned(), owned(owner))).toBe(refused);
  expect(await update(owned(owner), owned())).toBe(refused);
  expect(await update(owned(owner), owned(owner))).toBeUndefined();
  expect(await update({ metadata: { name: 'n' } }, owned())).toBeUndefined();
});

describe('other objects', () => {
  it('of claims nodes tell what has become of them', async () => {
    const claim = (status: object, labels = {}): ApiObject => ({
      metadata: { name: 'c', labels },
      status: { ...status },
    });
    const CLAIM = { resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', name: 'c' };
    const status = (object: ApiObject) =>
      ask({ ...CLAIM, operation: 'UPDATE', subresource: 'status', object, oldObject: claim({ phase: 'Bound' }) });
    expect(await status(claim({ phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [{}] }))).toBeUndefined();
    const refused =
      'persistentvolumeclaims "c" is forbidden: node "n" is not allowed to update fields other than status.capacity and status.conditions';
    expect(await status(claim({ phase: 'Lost' }))).toContain(refused);
    expect(await status(claim({ phase: 'Bound' }, { a: 'b' }))).toContain(refused);
    expect(await ask({ ...CLAIM, operation: 'UPDATE' })).toBe(
      'persistentvolumeclaims "c" is forbidden: may only update PVC status',
    );
  });

  it.each<[object | undefined, string | undefined]>([
    [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'p-uid' }, undefined],
    [undefined, 'node requested token not bound to a pod'],
    [{ apiVersion: 'v1', kind: 'Secret', name: 'a', uid: 'p-uid' }, 'node requested token not bound to a pod'],
    [{ apiVersion: 'v1', kind: 'Pod', name: 'a' }, 'node requested token with a pod binding without a uid'],
    [
      { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'x' },
      'the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      { apiVersion: 'v1', kind: 'Pod', name: 'm', uid: 'p-uid' },
      'node requested token bound to a pod scheduled on a different node',
    ],
  ])('tokens are for pods on the node: %j', async (boundObjectRef, why) => {
    const object = { spec: { ...(boundObjectRef && { boundObjectRef }) } };
    const TOKEN = { resource: 'serviceaccounts', subresource: 'token', kind: 'TokenRequest', name: 's' };
    const refused = why && `serviceaccounts "s" is forbidden: ${why}`;
    expect(await ask({ ...TOKEN, object }, pod('n'), pod('x', 'm'))).toBe(refused);
  });

  it('leases and CSINodes are those of their name', async () => {
    const lease = (namespace: string, name: string, operation: Attributes['operation'] = 'CREATE') =>
      ask({
        ...{ group: 'coordination.k8s.io', resource: 'leases', kind: 'Lease', namespace, name, operation },
        object: { metadata: { name } },
      });
    expect(await lease('kube-node-lease', 'n')).toBeUndefined();
    expect(await lease('default', 'n')).toContain('can only access leases in the "kube-node-lease" system namespace');
    for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const)
      expect(await lease('kube-node-lease', 'm', operation)).toBe(
        'leases.coordination.k8s.io "m" is forbidden: can only access node lease with the same name as the requesting node',
      );
    const csi = (name: string) =>
      ask({ group: 'storage.k8s.io', resource: 'csinodes', kind: 'CSINode', namespace: '', name });
    expect(await csi('n')).toBeUndefined();
    expect(await csi('m')).toBe(
      'csinodes.storage.k8s.io "m" is forbidden: can only access CSINode with the same name as the requesting node',
    );
  });

  it('a name that is still to be generated is not that of the node', async () => {
    const object = { metadata: { generateName: 'n' } };
    const made = (group: string, resource: string, namespace: string) =>
      ask({ group, resource, namespace, name: '', object });
    expect(await made('coordination.k8s.io', 'leases', 'kube-node-lease')).toContain('with the same name');
    expect(await made('storage.k8s.io', 'csinodes', '')).toContain('with the same name');
  });
});
