import type { Client } from '@orch/client';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { namesOf } from '@orch/machinery';
import { Metrics, silentLogger, systemClock } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import { openAccess } from './access.js';
import type { AgentServerSettings } from './agent-server-settings.js';

interface Reviewed {
  readonly spec: { readonly token?: string; readonly user?: string };
}

/** An API that knows the token of one user, who may do everything; reviews are counted. */
async function open(more: Partial<AgentServerSettings['options']>) {
  const reviews: string[] = [];
  const create = async (_ref: unknown, review: Reviewed) => {
    const { spec } = review;
    reviews.push(spec.token ?? `may ${spec.user}`);
    const isKnown = (spec.token ?? spec.user) === 'known';
    return { ...review, status: { authenticated: isKnown, user: { username: spec.token }, allowed: isKnown } };
  };
  const access = await openAccess({
    options: {
      ...{ address: '127.0.0.1', port: 0, healthzBindAddress: '127.0.0.1', healthzPort: 0, enableServer: true },
      ...{ enableDebuggingHandlers: true, streamingConnectionIdleTimeout: 0, anonymousAuth: false },
      ...{ authenticationTokenWebhook: true, authenticationTokenWebhookCacheTtl: 0, authorizationMode: 'Webhook' },
      ...{ authorizationWebhookCacheAuthorizedTtl: 0, authorizationWebhookCacheUnauthorizedTtl: 0 },
      ...{ clientCaFile: undefined, unauthenticatedConnectionTimeout: 0, ...more },
    },
    agent: {
      ...{ nodeName: 'n', pods: () => [], syncProblem: () => undefined, configuration: () => ({}), probes: () => [] },
      usage: { node: () => Promise.reject(new Error('not measured')), volumes: async () => [] },
    },
    ...{ runtime: new FakeRuntime(), names: namesOf('kubernetes'), metrics: new Metrics(), logger: silentLogger },
    ...{ clock: systemClock, pair: () => undefined, client: { create: create as unknown as Client['create'] } },
  });
  const who = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const found = await access.authenticator.authenticate({ socket: {} as never, headers }).catch(() => undefined);
    return found?.user.name;
  };
  const may = async (name: string) => {
    const attributes = { group: '', version: 'v1', resource: 'nodes', namespace: '', name: 'n', subresource: 'proxy' };
    const user = { name, groups: [], extra: {} };
    return access.authorizer.authorize(user, { ...attributes, verb: 'get', isResourceRequest: true, path: '/pods' });
  };
  return { reviews, who, may };
}

describe('who may use the port', () => {
  it("--authentication-token-webhook: the API says whose a token is; without it, it is nobody's", async () => {
    const { who } = await open({});
    expect([await who('known'), await who('other')]).toEqual(['known', undefined]);
    const without = await open({ authenticationTokenWebhook: false });
    expect(await without.who('known')).toBeUndefined();
    expect(without.reviews).toEqual([]);
  });

  it('--authentication-token-webhook-cache-ttl: its answer is kept', async () => {
    const kept = await open({ authenticationTokenWebhookCacheTtl: 3_600_000 });
    for (let time = 0; time < 3; time++) await kept.who('known');
    expect(kept.reviews).toEqual(['known']);
    const asked = await open({});
    for (let time = 0; time < 3; time++) await asked.who('known');
    expect(asked.reviews).toHaveLength(3);
  });

  it('--authorization-mode=Webhook asks the API; AlwaysAllow asks nobody', async () => {
    const { may, reviews } = await open({});
    expect([(await may('known')).decision, (await may('other')).decision]).toEqual(['allow', 'no-opinion']);
    expect(reviews).toEqual(['may known', 'may other']);
    const always = await open({ authorizationMode: 'AlwaysAllow' });
    expect((await always.may('other')).decision).toBe('allow');
    expect(always.reviews).toEqual([]);
  });

  it.each([
    ['authorizationWebhookCacheAuthorizedTtl', 'known', 'other'],
    ['authorizationWebhookCacheUnauthorizedTtl', 'other', 'known'],
  ] as const)(
    '--authorization-webhook-cache-authorized-ttl and --authorization-webhook-cache-unauthorized-ttl: %s keeps that of %s',
    async (option, kept, asked) => {
      const { may, reviews } = await open({ [option]: 3_600_000 });
      for (const name of [kept, kept, asked, asked]) await may(name);
      expect(reviews).toEqual([kept, asked, asked].map((name) => `may ${name}`));
    },
  );
});
