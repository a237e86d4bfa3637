import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

let server: Standalone;
let joe: Api;
let nobody: Api;

beforeAll(async () => {
  server = await startStandalone({
    strangers: ['joe'],
    args: ['--authorization-mode=AlwaysAllow', '--anonymous-auth=true'],
  });
  joe = new Api({ url: server.url, ca: server.ca, token: 'joe' });
  nobody = new Api({ url: server.url, ca: server.ca });
});
afterAll(async () => {
  joe?.close();
  nobody?.close();
  await server?.stop();
});

test('who has credentials may do everything [Authorization notes]', async () => {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
  const spec = { resourceAttributes: { verb: '*', group: '*', resource: '*' } };
  const said = await joe.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { ...review, spec });
  expect(said.json().status).toMatchObject({ allowed: true });
  expect((await joe.get('/api/v1/secrets')).status).toBe(200);
  expect((await joe.get('/metrics')).status).toBe(200);
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'all' }, rules };
  expect((await joe.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', role)).status).toBe(201);
  expect((await joe.get('/api/v1/secrets', { 'impersonate-user': 'ann' })).status).toBe(200);
});

test('and nobody is let in without, whatever is said of anonymous access [Anonymous requests]', async () => {
  for (const path of ['/api/v1/secrets', '/version', '/healthz', '/api'])
    expect((await nobody.get(path)).status, path).toBe(401);
});
