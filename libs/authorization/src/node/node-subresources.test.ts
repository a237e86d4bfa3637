import { authenticated } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { expect, test } from 'vitest';
import { nodeAuthorizer } from './node-authorizer.js';
import { NodeGraph } from './node-graph.js';
import { referencesOfPod, referencesOfVolume } from './node-references.js';

const NODE = authenticated({ name: 'system:node:n1', groups: ['system:nodes'], extra: {} }, 'x509').user;
const POD = {
  metadata: { namespace: 'ns', name: 'p' },
  spec: {
    serviceAccountName: 'a',
    volumes: [
      { name: 's', secret: { secretName: 'a' } },
      { name: 'm', configMap: { name: 'a' } },
      { name: 'c', persistentVolumeClaim: { claimName: 'a' } },
    ],
  },
};

const graph = new NodeGraph();
graph.putPod('ns/p', { node: 'n1', references: referencesOfPod(POD, 'mirror') });
graph.putVolume('a', referencesOfVolume({ spec: { claimRef: { namespace: 'ns', name: 'a' } } }));
graph.putAttachment('a', 'n1');
// Nodes have a role that lets them do everything: what is refused is so for the object's sake.
const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
const authorizer = nodeAuthorizer({ names: namesOf('kubernetes'), rules, graph: async () => graph });

function decide(verb: string, group: string, resource: string, subresource: string, namespace: string, name = 'a') {
  const at = { isResourceRequest: true, path: '', version: 'v1', group, namespace };
  return authorizer.authorize(NODE, { ...at, verb, resource, subresource, name });
}

/** Objects of which the node may have the one called `a`, and what it is told of what lies below that. */
test.each([
  ['get', '', 'secrets', 'ns', 'cannot read subresource'],
  ['watch', '', 'configmaps', 'ns', 'cannot read subresource'],
  ['get', '', 'persistentvolumeclaims', 'ns', 'cannot get subresource'],
  ['get', '', 'persistentvolumes', '', 'cannot get subresource'],
  ['get', 'storage.k8s.io', 'volumeattachments', '', 'cannot get subresource'],
])('what a node may %s of %s/%s it may not below', async (verb, group, resource, namespace, reason) => {
  expect(await decide(verb, group, resource, '', namespace)).toMatchObject({ decision: 'allow' });
  for (const subresource of ['proxy', 'token', 'scale'])
    expect(await decide(verb, group, resource, subresource, namespace)).toEqual({ decision: 'no-opinion', reason });
});

test('a node creates tokens of its accounts, and nothing else of them', async () => {
  const create = (subresource: string, name?: string) =>
    decide('create', '', 'serviceaccounts', subresource, 'ns', name);
  expect(await create('token')).toMatchObject({ decision: 'allow' });
  for (const subresource of ['', 'proxy', 'tokens'])
    expect(await create(subresource)).toEqual({
      decision: 'no-opinion',
      reason: 'can only create token subresource of serviceaccount',
    });
  const reason = 'can only create tokens for individual service accounts';
  expect(await create('token', '')).toEqual({ decision: 'no-opinion', reason });
  expect(await decide('get', '', 'serviceaccounts', 'token', 'ns')).toEqual({ decision: 'no-opinion', reason });
});

test('a node writes its own CSINode, and nothing below', async () => {
  const update = (subresource: string) => decide('update', 'storage.k8s.io', 'csinodes', subresource, '', 'n1');
  expect(await update('')).toMatchObject({ decision: 'allow' });
  expect(await update('status')).toEqual({
    decision: 'no-opinion',
    reason: 'cannot authorize CSINode subresources',
  });
});

test('the status of a claim is for writing', async () => {
  const claim = (verb: string, name = 'a') => decide(verb, '', 'persistentvolumeclaims', 'status', 'ns', name);
  for (const verb of ['update', 'patch']) {
    expect(await claim(verb)).toMatchObject({ decision: 'allow' });
    expect(await claim(verb, 'other')).toMatchObject({ decision: 'no-opinion' });
  }
  for (const verb of ['get', 'delete', 'create'])
    expect(await claim(verb)).toEqual({ decision: 'no-opinion', reason: 'can only get/update/patch this type' });
});
