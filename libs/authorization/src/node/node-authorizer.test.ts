import { authenticated } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../authorizer.js';
import { nodeAuthorizer } from './node-authorizer.js';
import { NodeGraph } from './node-graph.js';
import { referencesOfPod, referencesOfVolume } from './node-references.js';

const MIRROR = 'kubernetes.io/config.mirror';
const userOf = (name: string, ...groups: string[]) => authenticated({ name, groups, extra: {} }, 'x509').user;
const NODE = userOf('system:node:n1', 'system:nodes');
const OTHER = userOf('system:node:n2', 'system:nodes');

const POD = {
  metadata: { namespace: 'ns', name: 'p' },
  spec: {
    nodeName: 'n1',
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ envFrom: [{ secretRef: { name: 'env-from' } }, { configMapRef: { name: 'map-from' } }] }],
    containers: [
      {
        env: [
          { name: 'A', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } },
          { name: 'B', valueFrom: { configMapKeyRef: { name: 'map-key', key: 'k' } } },
          { name: 'C', value: 'x' },
        ],
      },
    ],
    volumes: [
      { name: 'a', secret: { secretName: 'volume' } },
      { name: 'b', configMap: { name: 'map-volume' } },
      {
        name: 'c',
        projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'map-projected' } }] },
      },
      { name: 'd', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
      { name: 'e', persistentVolumeClaim: { claimName: 'claim' } },
      { name: 'f', ephemeral: { volumeClaimTemplate: {} } },
      { name: 'g', rbd: { secretRef: { name: 'rbd' } } },
    ],
  },
};
const VOLUME = {
  spec: {
    claimRef: { namespace: 'ns', name: 'claim' },
    csi: {
      nodeStageSecretRef: { namespace: 'infra', name: 'stage' },
      controllerPublishSecretRef: { namespace: 'infra', name: 'controller' },
    },
  },
};

function graphOf(): NodeGraph {
  const graph = new NodeGraph();
  graph.putPod('ns/p', { node: 'n1', references: referencesOfPod(POD, MIRROR) });
  graph.putVolume('pv', referencesOfVolume(VOLUME));
  graph.putAttachment('va', 'n1');
  return graph;
}

const authorizerOf = (graph: NodeGraph) =>
  nodeAuthorizer({
    names: namesOf('kubernetes'),
    rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'secrets'] }],
    graph: async () => graph,
  });
const asked = (verb: string, of: string, more: Partial<RequestAttributes> = {}): RequestAttributes => {
  const [resource = '', subresource = ''] = of.split('/');
  return {
    ...{ verb, isResourceRequest: true, path: '', group: '', version: 'v1', resource, subresource },
    ...{ namespace: 'ns', name: '' },
    ...more,
  };
};

describe('a node', () => {
  const graph = graphOf();
  const decide = (request: RequestAttributes, user = NODE) => authorizerOf(graph).authorize(user, request);
  const may = async (request: RequestAttributes, user = NODE) => (await decide(request, user)).decision === 'allow';

  it.each([
    ...['pull', 'env-from', 'key', 'volume', 'projected', 'csi', 'rbd'].map((name) => ['secrets', name]),
    ...['map-from', 'map-key', 'map-volume', 'map-projected'].map((name) => ['configmaps', name]),
  ])('reads the %s %s of its pods, and no other node does', async (resource, name) => {
    for (const verb of ['get', 'list', 'watch']) expect(await may(asked(verb, resource, { name }))).toBe(true);
    expect(await may(asked('get', resource, { name }), OTHER)).toBe(false);
    expect(await may(asked('get', resource, { name, namespace: 'other' }))).toBe(false);
    expect(await may(asked('update', resource, { name }))).toBe(false);
  });

  it('is told why not', async () => {
    const reason = async (request: RequestAttributes, user = NODE) => (await decide(request, user)).reason;
    expect(await reason(asked('get', 'secrets', { name: 'x' }))).toBe(
      "no relationship found between node 'n1' and this object",
    );
    expect(await reason(asked('list', 'secrets'))).toBe('No Object name found');
    expect(await reason(asked('list', 'secrets', { namespace: '' }))).toBe(
      'can only read namespaced object of this type',
    );
    expect(await reason(asked('delete', 'secrets', { name: 'pull' }))).toBe('can only read resources of this type');
    expect(await reason(asked('list', 'persistentvolumes'))).toBe('can only get individual resources of this type');
    expect(await reason(asked('get', 'pods'), userOf('system:node:', 'system:nodes'))).toBe(
      'unknown node for user "system:node:"',
    );
  });

  it('reads its claims and volumes, their secrets and attachments', async () => {
    for (const name of ['claim', 'p-f']) {
      expect(await may(asked('get', 'persistentvolumeclaims', { name }))).toBe(true);
      expect(await may(asked('patch', 'persistentvolumeclaims/status', { name }))).toBe(true);
      expect(await may(asked('get', 'persistentvolumeclaims/status', { name }))).toBe(false);
    }
    expect(await may(asked('get', 'persistentvolumes', { namespace: '', name: 'pv' }))).toBe(true);
    expect(await may(asked('get', 'persistentvolumes', { namespace: '', name: 'pv' }), OTHER)).toBe(false);
    expect(await may(asked('get', 'secrets', { namespace: 'infra', name: 'stage' }))).toBe(true);
    expect(await may(asked('get', 'secrets', { namespace: 'infra', name: 'controller' }))).toBe(false);
    const attachment = asked('get', 'volumeattachments', { group: 'storage.k8s.io', namespace: '', name: 'va' });
    expect([await may(attachment), await may(attachment, OTHER)]).toEqual([true, false]);
  });

  it('asks for tokens of its pods, and keeps its lease and CSINode', async () => {
    expect(await may(asked('create', 'serviceaccounts/token', { name: 'robot' }))).toBe(true);
    expect(await may(asked('create', 'serviceaccounts/token', { name: 'robot' }), OTHER)).toBe(false);
    expect(await may(asked('get', 'serviceaccounts', { name: 'robot' }))).toBe(false);
    const lease = { group: 'coordination.k8s.io', namespace: 'kube-node-lease' };
    expect(await may(asked('update', 'leases', { ...lease, name: 'n1' }))).toBe(true);
    expect(await may(asked('create', 'leases', lease))).toBe(true);
    expect(await may(asked('update', 'leases', { ...lease, name: 'n2' }))).toBe(false);
    expect(await may(asked('update', 'leases', { ...lease, namespace: 'ns', name: 'n1' }))).toBe(false);
    expect(await may(asked('list', 'leases', lease))).toBe(false);
    const csi = { group: 'storage.k8s.io', namespace: '' };
    expect(await may(asked('delete', 'csinodes', { ...csi, name: 'n1' }))).toBe(true);
    expect(await may(asked('delete', 'csinodes', { ...csi, name: 'n2' }))).toBe(false);
  });

  it('may do else what all nodes may, and nobody else may by that', async () => {
    expect(await may(asked('list', 'pods'))).toBe(true);
    expect(await may(asked('delete', 'pods'))).toBe(false);
    for (const user of [userOf('system:node:n1'), userOf('jane', 'system:nodes')])
      expect(await decide(asked('list', 'pods'), user)).toEqual({ decision: 'no-opinion', reason: '' });
  });

  it('cannot be listed the rules of', async () => {
    const rules = await authorizerOf(graph).rulesFor?.(NODE, 'ns');
    expect(rules).toMatchObject({
      incomplete: true,
      problems: ['node authorizer does not support user rule resolution'],
    });
    expect(await authorizerOf(graph).rulesFor?.(userOf('jane'), 'ns')).toMatchObject({
      incomplete: false,
      problems: [],
    });
  });
});

describe('what nodes need', () => {
  const needs = (graph: NodeGraph, node = 'n1', name = 'pull') => graph.needs(node, 'secret', 'ns', name);

  it('goes with the last pod that needs it', () => {
    const graph = graphOf();
    graph.putPod('ns/q', { node: 'n1', references: referencesOfPod(POD, MIRROR) });
    graph.putPod('ns/p', undefined);
    expect(needs(graph)).toBe(true);
    graph.putPod('ns/q', { node: 'n2', references: referencesOfPod(POD, MIRROR) });
    expect([needs(graph), needs(graph, 'n2')]).toEqual([false, true]);
    expect(graph.needsVolume('n1', 'pv')).toBe(false);
    graph.putVolume('pv', undefined);
    expect(graph.needsVolume('n2', 'pv')).toBe(false);
  });

  it('is nothing for the copy of a pod that a node runs by itself', () => {
    const metadata = { ...POD.metadata, annotations: { [MIRROR]: '' } };
    expect(referencesOfPod({ ...POD, metadata }, MIRROR)).toEqual([]);
    expect(referencesOfVolume({ spec: {} })).toBeUndefined();
  });
});
