import { authenticated } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../authorizer.js';
import { type ReviewVersion, webhookAuthorizer } from './webhook-authorizer.js';

const JANE = authenticated({ name: 'jane', uid: 'u1', groups: ['dev'], extra: { a: ['b'] } }, 'token').user;
const POD: RequestAttributes = {
  ...{ verb: 'get', isResourceRequest: true, path: '/api/v1/namespaces/a/pods/p', group: '', version: 'v1' },
  ...{ resource: 'pods', subresource: '', namespace: 'a', name: 'p' },
};
const PATH: RequestAttributes = {
  ...{ verb: 'get', isResourceRequest: false, path: '/x', group: '', version: '' },
  ...{ resource: '', subresource: '', namespace: '', name: '' },
};

/** A webhook that answers as it is told, on a clock that stands still. */
function webhook(status: unknown, version: ReviewVersion = 'v1') {
  const seen: { apiVersion: string; spec: Record<string, unknown> }[] = [];
  const clock = { now: 0 };
  const answer = { status };
  const authorizer = webhookAuthorizer({
    names: namesOf('kubernetes'),
    version,
    authorizedTtl: 300_000,
    unauthorizedTtl: 30_000,
    now: () => clock.now,
    async ask(text) {
      const review = JSON.parse(text);
      seen.push(review);
      return JSON.stringify({ ...review, ...answer });
    },
  });
  return { authorizer, seen, clock, answer };
}

describe('an authorization webhook', () => {
  it.each([
    [{ allowed: true, reason: 'why' }, 'allow', 'why'],
    [{ allowed: false, reason: 'why' }, 'no-opinion', 'why'],
    [{ allowed: false, denied: true, reason: 'no' }, 'deny', 'no'],
    [{ allowed: true, denied: true }, 'deny', ''],
    [{}, 'no-opinion', ''],
    [null, 'no-opinion', ''],
    [{ allowed: 'true' }, 'no-opinion', ''],
  ])('that answers %j decides %s', async (status, decision, reason) => {
    expect(await webhook(status).authorizer.authorize(JANE, POD)).toEqual({ decision, reason });
  });

  it('is told who asks for what, in its version', async () => {
    const { authorizer, seen } = webhook({ allowed: true });
    await authorizer.authorize(JANE, POD);
    await authorizer.authorize(JANE, PATH);
    expect(seen[0]).toEqual({
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { creationTimestamp: null },
      spec: {
        resourceAttributes: { namespace: 'a', verb: 'get', version: 'v1', resource: 'pods', name: 'p' },
        user: 'jane',
        groups: ['dev', 'system:authenticated'],
        extra: { a: ['b'] },
        uid: 'u1',
      },
      status: { allowed: false },
    });
    expect(seen[1]?.spec.nonResourceAttributes).toEqual({ path: '/x', verb: 'get' });
    const old = webhook({ allowed: true }, 'v1beta1');
    await old.authorizer.authorize(JANE, POD);
    expect(old.seen[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { group: ['dev', 'system:authenticated'] },
    });
    expect(old.seen[0]?.spec.groups).toBeUndefined();
  });

  it('is asked again when its answer is too old, a yes later than a no', async () => {
    for (const [allowed, ttl] of [
      [true, 300_000],
      [false, 30_000],
    ] as const) {
      const { authorizer, seen, clock } = webhook({ allowed });
      const ask = () => authorizer.authorize(JANE, POD);
      await ask();
      clock.now = ttl - 1;
      await ask();
      expect(seen).toHaveLength(1);
      await authorizer.authorize(JANE, { ...POD, name: 'q' });
      expect(seen, 'about something else').toHaveLength(2);
      clock.now = ttl;
      await ask();
      expect(seen).toHaveLength(3);
    }
  });

  it('is asked each time about what is too long to be kept', async () => {
    const { authorizer, seen } = webhook({ allowed: true });
    for (let i = 0; i < 2; i++) await authorizer.authorize(JANE, { ...PATH, path: `/${'x'.repeat(10_000)}` });
    expect(seen).toHaveLength(2);
  });

  it('decides nothing where its answer is none', async () => {
    const { authorizer, answer } = webhook({ allowed: true });
    Object.assign(answer, { kind: 'Pod' });
    await expect(authorizer.authorize(JANE, POD)).rejects.toThrow('did not answer with a SubjectAccessReview');
  });

  it('cannot be listed the rules of', async () => {
    expect(await webhook({}).authorizer.rulesFor?.(JANE, 'a')).toMatchObject({ incomplete: true });
  });
});
