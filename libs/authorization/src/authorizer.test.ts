import { ANONYMOUS, authenticated } from '@orch/authentication';
import { describe, expect, it } from 'vitest';
import { type Authorizer, type Decision, type RequestAttributes, rulesOf, union } from './authorizer.js';
import { alwaysAllow, alwaysDeny, mastersDecide } from './fixed.js';
import { forbiddenRequest } from './forbidden.js';

const JANE = authenticated({ name: 'jane', groups: [], extra: {} }, 'token').user;
const POD: RequestAttributes = {
  verb: 'get',
  isResourceRequest: true,
  path: '/api/v1/namespaces/default/pods/p',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'p',
};
const path = (of: string, verb = 'get'): RequestAttributes => ({
  ...POD,
  verb,
  isResourceRequest: false,
  path: of,
  version: '',
  resource: '',
  namespace: '',
  name: '',
});

describe('the authorizers that look at no policy', () => {
  const ANYBODY = authenticated({ name: 'x', groups: [], extra: {} }, 'token').user;
  const MASTER = authenticated({ name: 'root', groups: ['system:masters'], extra: {} }, 'token').user;

  it('allow everything, nothing, or everything to administrators', async () => {
    expect((await alwaysAllow.authorize(ANONYMOUS.user, POD)).decision).toBe('allow');
    expect(await alwaysDeny.authorize(MASTER, POD)).toEqual({
      decision: 'no-opinion',
      reason: 'Everything is forbidden.',
    });
    expect((await mastersDecide.authorize(MASTER, path('/metrics'))).decision).toBe('allow');
    expect((await mastersDecide.authorize(ANYBODY, POD)).decision).toBe('no-opinion');
  });
});

describe('a union', () => {
  const says = (decision: Decision['decision'], reason = ''): Authorizer => ({
    authorize: async () => ({ decision, reason }),
  });
  const fails: Authorizer = {
    authorize: async () => {
      throw new Error('out of order');
    },
  };
  const asked = (...authorizers: Authorizer[]) => union(authorizers).authorize(JANE, POD);

  it('goes by the first that has an opinion', async () => {
    expect((await asked(says('no-opinion'), says('allow'), says('deny'))).decision).toBe('allow');
    expect(await asked(says('no-opinion'), says('deny', 'no'), says('allow'))).toEqual({
      decision: 'deny',
      reason: 'no',
    });
  });

  it('has none where nobody has, and says what all said', async () => {
    expect(await asked(says('no-opinion', 'a'), says('no-opinion'), says('no-opinion', 'b'))).toEqual({
      decision: 'no-opinion',
      reason: 'a\nb',
    });
    expect((await asked()).decision).toBe('no-opinion');
  });

  it('lets nobody in because one cannot tell', async () => {
    expect((await asked(fails, says('allow'))).decision).toBe('allow');
    await expect(asked(fails, says('no-opinion'))).rejects.toThrow('out of order');
  });
});

describe('rules', () => {
  const silent: Authorizer = { authorize: async () => ({ decision: 'no-opinion', reason: '' }) };

  it('of a union are those of all, and say where there may be more', async () => {
    const { resourceRules, pathRules, incomplete, problems } = await rulesOf(
      union([alwaysAllow, silent]),
      JANE,
      'default',
    );
    expect(resourceRules).toEqual([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }]);
    expect(pathRules).toEqual([{ verbs: ['*'], nonResourceURLs: ['*'] }]);
    expect(incomplete).toBe(true);
    expect(problems).toEqual(['an authorizer cannot list the rules of users']);
  });

  it('are whole where all can list them', async () => {
    const { resourceRules, incomplete } = await rulesOf(union([mastersDecide, alwaysDeny]), JANE, 'default');
    expect([resourceRules, incomplete]).toEqual([[], false]);
  });
});

describe('the refusal (403)', () => {
  const message = (request: RequestAttributes, reason?: string) => forbiddenRequest(JANE, request, reason).message;

  it.each([
    [POD, 'pods "p" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "default"'],
    [
      { ...POD, verb: 'list', name: '', namespace: '' },
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      { ...POD, group: 'apps', resource: 'deployments', subresource: 'scale', verb: 'update', name: 'd' },
      'deployments.apps "d" is forbidden: User "jane" cannot update resource "deployments/scale" in API group "apps" in the namespace "default"',
    ],
    [path('/x', 'delete'), 'forbidden: User "jane" cannot delete path "/x"'],
    [path('/<b>&', 'get'), 'forbidden: User "jane" cannot get path "/&lt;b&gt;&amp;"'],
  ])('names what was wanted: %#', (request, expected) => {
    expect(message(request)).toBe(expected);
  });

  it('says why, and what it is about', () => {
    expect(message(path('/x'), 'not today')).toBe('forbidden: User "jane" cannot get path "/x": not today');
    expect(forbiddenRequest(JANE, POD).status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { name: 'p', kind: 'pods' },
    });
  });
});
