import { authenticated } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../authorizer.js';
import {
  type AccessReviewVersion,
  readWebhookVerdict,
  type WebhookVerdict,
  webhookAuthorizer,
} from './webhook-authorizer.js';

const JANE = authenticated({ name: 'jane', uid: 'u1', groups: ['dev'], extra: { a: ['b'] } }, 'token').user;
const POD: RequestAttributes = {
  ...{ verb: 'get', isResourceRequest: true, path: '/api/v1/namespaces/a/pods/p', group: '', version: 'v1' },
  ...{ resource: 'pods', subresource: '', namespace: 'a', name: 'p' },
};
const PATH: RequestAttributes = {
  ...{ verb: 'get', isResourceRequest: false, path: '/x', group: '', version: '' },
  ...{ resource: '', subresource: '', namespace: '', name: '' },
};

/** A webhook that answers as it is told, and whose verdicts are kept for ever. */
function webhook(status: unknown, version: AccessReviewVersion = 'v1') {
  const seen: { apiVersion: string; spec: Record<string, unknown> }[] = [];
  const kept = new Map<string, WebhookVerdict>();
  const answer = { status };
  const authorizer = webhookAuthorizer({
    names: namesOf('kubernetes'),
    version,
    async ask(asked) {
      const review = asked as (typeof seen)[number];
      seen.push(review);
      return { ...review, ...answer };
    },
    verdicts: {
      async of(parts, find) {
        const key = JSON.stringify(parts);
        const verdict = kept.get(key) ?? (await find());
        kept.set(key, verdict);
        return verdict;
      },
    },
  });
  return { authorizer, seen, answer };
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

  it('is asked once about the same while its verdict is known', async () => {
    const { authorizer, seen } = webhook({ allowed: true });
    for (let i = 0; i < 2; i++) expect((await authorizer.authorize(JANE, POD)).decision).toBe('allow');
    expect(seen).toHaveLength(1);
    await authorizer.authorize(JANE, { ...POD, name: 'q' });
    expect(seen, 'about something else').toHaveLength(2);
  });

  it('is believed in what other processes know of it, and nothing else is', () => {
    const verdict = { allowed: true, denied: false, reason: 'why' };
    expect(readWebhookVerdict({ ...verdict, more: 1 })).toEqual(verdict);
    for (const none of [undefined, null, 1, {}, { ...verdict, allowed: 'true' }, { ...verdict, reason: 1 }])
      expect(readWebhookVerdict(none)).toBeUndefined();
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
