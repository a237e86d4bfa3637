import { audienceAgnostic, authenticated, createAuthenticator } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import { StatusError } from '@orch/machinery';
import { type ListenOverrides, listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let api: TestApi;
let server: TestServer | undefined;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  await server?.close();
  api.close();
});

async function post(plural: string, spec: object, overrides: ListenOverrides = {}) {
  server = await openServer(listenerOf(api, overrides));
  const group = plural.startsWith('token') ? 'authentication' : 'authorization';
  const path = `/apis/${group}.orch.io/v1/${plural}`;
  const answer = await server.ask(path, { method: 'POST', body: JSON.stringify({ spec }) });
  return { code: answer.status, body: JSON.parse(answer.body.toString()) };
}

/** Lets everybody ask, and decides about pods as it is told. */
const deciding = (decide: Authorizer['authorize']): Authorizer => ({
  authorize: (user, request) =>
    request.resource === 'pods' ? decide(user, request) : Promise.resolve({ decision: 'allow', reason: '' }),
});
const about = (more: object = {}) => ({ user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods' }, ...more });

describe('a review of access', () => {
  it.each([
    ['allow', '', { allowed: true }],
    ['allow', 'by a role', { allowed: true, reason: 'by a role' }],
    ['deny', 'not on Sundays', { allowed: false, denied: true, reason: 'not on Sundays' }],
    ['no-opinion', '', { allowed: false }],
  ] as const)('says what the authorizer says: %s %j', async (decision, reason, status) => {
    const authorizer = deciding(async () => ({ decision, reason }));
    const { code, body } = await post('subjectaccessreviews', about(), { authorizer });
    expect([code, body.status]).toEqual([201, status]);
  });

  it('says that the authorizer cannot tell', async () => {
    const authorizer = deciding(async () => {
      throw new Error('out of order');
    });
    const { body } = await post('subjectaccessreviews', about(), { authorizer });
    expect(body.status).toEqual({ allowed: false, evaluationError: 'out of order' });
  });

  it('is about whom it names, and nobody else', async () => {
    const seen: unknown[] = [];
    const authorizer = deciding(async (user, { verb, group, subresource, namespace, name }) => {
      seen.push({ user, verb, group, subresource, namespace, name });
      return { decision: 'allow', reason: '' };
    });
    const resourceAttributes = { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' };
    const subject = { user: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } };
    await post('subjectaccessreviews', { ...subject, resourceAttributes }, { authorizer });
    expect(seen).toEqual([
      {
        user: { name: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } },
        verb: 'get',
        group: '',
        subresource: 'log',
        namespace: 'n',
        name: 'p',
      },
    ]);
  });

  it('lists no rules where the authorizer cannot', async () => {
    const authorizer = deciding(async () => ({ decision: 'allow', reason: '' }));
    const { body } = await post('selfsubjectrulesreviews', { namespace: 'default' }, { authorizer });
    expect(body.status).toMatchObject({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'an authorizer cannot list the rules of users',
    });
  });
});

describe('a review of a token', () => {
  const admin = authenticated({ name: 'admin', groups: [], extra: {} }, 'token');
  const known = authenticated({ name: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } }, 'token');

  it('asks with the token alone', async () => {
    const authenticator: ListenOverrides['authenticator'] = {
      async authenticate({ headers, socket }) {
        if (headers.host !== undefined) return admin;
        expect(Object.keys(headers)).toEqual(['authorization']);
        expect(socket.remoteAddress).toBeUndefined();
        return known;
      },
    };
    const { body } = await post('tokenreviews', { token: 't' }, { authenticator });
    expect(body.status).toEqual({
      authenticated: true,
      user: { username: 'jane', uid: 'u', groups: ['g', 'system:authenticated'], extra: { k: ['v'] } },
    });
  });

  it.each([
    [undefined, { authenticated: true, audiences: ['api'] }],
    [[], { authenticated: true, audiences: ['api'] }],
    [['x', 'api'], { authenticated: true, audiences: ['api'] }],
    [['x'], { user: {}, error: 'invalid bearer token' }],
  ])('says for which of the audiences %j it is good', async (audiences, status) => {
    const verifier = audienceAgnostic({ verify: () => known }, ['api']);
    const byToken = createAuthenticator({ tokenVerifiers: [verifier], anonymous: true });
    const authenticator: ListenOverrides['authenticator'] = {
      authenticate: (request, wanted) =>
        request.headers.host === undefined ? byToken.authenticate(request, wanted) : Promise.resolve(admin),
    };
    const { body } = await post('tokenreviews', { token: 't', audiences }, { authenticator });
    expect(body.status).toMatchObject(status);
  });

  it('fails where it cannot be told whom it stands for', async () => {
    const authenticator: ListenOverrides['authenticator'] = {
      async authenticate({ headers }) {
        if (headers.host !== undefined) return admin;
        throw new StatusError('ServiceUnavailable', 'the issuer does not answer');
      },
    };
    expect(await post('tokenreviews', { token: 't' }, { authenticator })).toMatchObject({ code: 503 });
  });
});
