import { authenticated } from '@orch/authentication';
import type { Authorizer, RequestAttributes } from '@orch/authorization';
import { listenerOf, openServer, type TestServer, testApi } from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { RequestContext } from '../http/context.js';

const JANE = authenticated({ name: 'jane', groups: ['dev'], extra: {} }, 'token');
const WATCH = '/api/v1/configmaps?watch=1';
const servers: TestServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Lets everybody do everything, but impersonate only what is named; what is asked is noted. */
function granting(...granted: string[]): { authorizer: Authorizer; asked: [string, RequestAttributes][] } {
  const asked: [string, RequestAttributes][] = [];
  const authorizer: Authorizer = {
    async authorize(user, request) {
      asked.push([user.name, request]);
      if (request.name === 'broken') throw new Error('out of order');
      const allowed = request.verb !== 'impersonate' || granted.includes(request.name);
      return { decision: allowed ? 'allow' : 'no-opinion', reason: allowed ? '' : 'not granted' };
    },
  };
  return { authorizer, asked };
}

async function serve(
  authorizer: Authorizer,
  seen: (ctx: Pick<RequestContext, 'req'> & Partial<RequestContext>) => void = () => undefined,
): Promise<TestServer> {
  const api = await testApi();
  const server = await openServer(
    listenerOf(api, {
      authenticator: { authenticate: async () => JANE },
      authorizer,
      maxImpersonationValues: 10,
      fallback: (req, res) => {
        seen({ req });
        res.end();
      },
      proxyWatch: async (ctx) => {
        seen(ctx);
        ctx.res.end();
      },
    }),
  );
  servers.push(server);
  return server;
}

describe('impersonation', () => {
  it('asks for each value apart, of who really asks, and answers as the other', async () => {
    const { authorizer, asked } = granting('bob', 'ops', 'one', 'u-1');
    let handed: Partial<RequestContext> | undefined;
    const { ask } = await serve(authorizer, (ctx) => {
      handed = ctx;
    });
    await ask(WATCH, {
      headers: {
        'Impersonate-User': 'bob',
        'Impersonate-Group': 'ops',
        'Impersonate-Extra-Acme%2fScope': 'one',
        'Impersonate-Uid': 'u-1',
      },
    });
    expect(handed?.authentication?.user.name).toBe('jane');
    expect(handed?.user).toEqual({
      name: 'bob',
      uid: 'u-1',
      groups: ['ops', 'system:authenticated'],
      extra: { 'acme/scope': ['one'] },
    });
    // By which the watch is judged again.
    expect(handed?.watch?.impersonating?.map(({ name }) => name)).toEqual(['bob', 'ops', 'one', 'u-1']);
    const shown = asked.map(([user, { verb, group, resource, subresource, name }]) => [
      user,
      verb,
      [group, resource, subresource].filter((part) => part !== '').join('/'),
      name,
    ]);
    expect(shown).toEqual([
      ['jane', 'impersonate', 'users', 'bob'],
      ['jane', 'impersonate', 'groups', 'ops'],
      ['jane', 'impersonate', 'authentication.orch.io/userextras/acme/scope', 'one'],
      ['jane', 'impersonate', 'authentication.orch.io/uids', 'u-1'],
      ['bob', 'watch', 'configmaps', ''],
    ]);
  });

  it('of a service account is asked for in its namespace', async () => {
    const { authorizer, asked } = granting('builder');
    const { ask } = await serve(authorizer);
    expect((await ask('/x', { headers: { 'Impersonate-User': 'system:serviceaccount:ci:builder' } })).status).toBe(200);
    expect(asked[0]?.[1]).toMatchObject({ resource: 'serviceaccounts', namespace: 'ci', name: 'builder', group: '' });
  });

  it.each([
    [
      { 'Impersonate-User': 'root' },
      'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope: not granted',
    ],
    [
      { 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:masters' },
      'groups "system:masters" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the cluster scope: not granted',
    ],
    [
      { 'Impersonate-User': 'system:serviceaccount:ci:builder' },
      'serviceaccounts "builder" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ci": not granted',
    ],
    [
      { 'Impersonate-User': 'bob', 'Impersonate-Extra-Scopes': 'all' },
      'userextras.authentication.orch.io "all" is forbidden: User "jane" cannot impersonate resource "userextras/scopes" in API group "authentication.orch.io" at the cluster scope: not granted',
    ],
    [
      { 'Impersonate-User': 'broken' },
      'users "broken" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
  ])('that is not granted is a 403: %j', async (headers, message) => {
    const { ask } = await serve(granting('bob').authorizer);
    for (const path of ['/version', '/api/v1/configmaps', '/api/v1/configmaps?watch=1']) {
      const { status, body } = await ask(path, { headers });
      expect([status, JSON.parse(body.toString()).message]).toEqual([403, message]);
    }
  });

  it('without a user, or of too much, is a 400', async () => {
    const { authorizer, asked } = granting('bob');
    const { ask } = await serve(authorizer);
    const refused = async (headers: Record<string, string>) => {
      const { status, body } = await ask('/x', { headers });
      return [status, JSON.parse(body.toString()).message];
    };
    expect(await refused({ 'Impersonate-Group': 'ops' })).toEqual([
      400,
      'requested [impersonate-group "ops"] without impersonating a user',
    ]);
    const extra = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`Impersonate-Extra-K${at}`, 'v']));
    expect((await refused({ 'Impersonate-User': 'bob', ...extra }))[0]).toBe(400);
    expect(asked).toEqual([]);
  });

  it('leaves nothing of it in the request', async () => {
    let headers: object = {};
    const { ask } = await serve(granting('bob', 'ops').authorizer, ({ req }) => {
      headers = req.headers;
    });
    await ask('/x', { headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': 'ops', 'X-Other': 'kept' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('impersonate'))).toEqual([]);
    expect(headers).toMatchObject({ 'x-other': 'kept' });
  });
});
