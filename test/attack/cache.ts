import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AttackStage } from './stage.js';

/** Cache poisoning through Redis (issue 14, "It must show"; spec: "Webhook token authentication"). */
export function cacheAttacks(stage: AttackStage): void {
  const [apiServer, gateway] = [0, 1] as const;
  const whoIs = async (at: 0 | 1, token: string) => {
    const [...apis] = stage.clients({ token });
    return stage.whoIs(apis[at] as (typeof apis)[number]);
  };

  describe('whoever writes to Redis [Webhook token authentication]', () => {
    test('makes nobody out of a token that it is not, by no change of what is there', async () => {
      const { cache } = stage;
      const connected = async () => ((await cache.client('LIST')) as string).trim().split('\n').length;
      await expect.poll(connected, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
      const tokens = {
        root: stage.secret('token of root'),
        low: stage.secret('token of low'),
        none: stage.secret('token of nobody'),
      };
      stage.known.set(tokens.root, { username: 'root', groups: ['system:masters'] });
      stage.known.set(tokens.low, { username: 'low', groups: ['a'] });
      const before = new Set(await cache.keys('*'));
      const fresh = async () => (await cache.keys('*')).filter((key) => !before.has(key));
      expect(await whoIs(apiServer, tokens.root)).toMatchObject({ name: 'root' });
      await expect.poll(fresh).toHaveLength(1);
      const [ofRoot = ''] = await fresh();
      expect(await whoIs(apiServer, tokens.low)).toMatchObject({ name: 'low' });
      await expect.poll(fresh).toHaveLength(2);
      const ofLow = (await fresh()).find((key) => key !== ofRoot) ?? '';
      const [root, low] = [String(await cache.get(ofRoot)), String(await cache.get(ofLow))];
      // Names tell nothing to whoever knows, or guesses, a token.
      for (const token of Object.values(tokens)) {
        for (const digest of ['hex', 'base64', 'base64url'] as const)
          for (const algorithm of ['sha256', 'sha1', 'md5'])
            expect(ofRoot + ofLow).not.toContain(createHash(algorithm).update(token).digest(digest));
        expect(root + low + ofRoot + ofLow).not.toContain(token);
      }
      const poisoned: Readonly<Record<string, () => Promise<unknown>>> = {
        'another name in it': () => cache.set(ofLow, low.replace('"low"', '"root"')),
        'another group in it': () => cache.set(ofLow, low.replace('"a"', '"system:masters"')),
        'the verdict of another': () => cache.set(ofLow, root),
        'no seal': () => cache.set(ofLow, root.replace(/^[^{]*/, '')),
        'the seal of another': () => cache.set(ofLow, root.slice(0, 43) + low.slice(43)),
        'a longer time in it': () => cache.set(ofLow, low.replace(/"until":\d+/, '"until":99999999999999')),
        'two of them': () => cache.set(ofLow, low + root),
        'no JSON': () => cache.set(ofLow, `${low.slice(0, 43)}{`),
        nothing: () => cache.set(ofLow, ''),
        'a list': async () => {
          await cache.del(ofLow);
          return cache.lpush(ofLow, root);
        },
        'much of it': () => cache.set(ofLow, root.padEnd(1 << 20, 'x')),
      };
      for (const [what, poison] of Object.entries(poisoned)) {
        // The gateway knows nothing of it so far, or what it has found by itself.
        await poison();
        expect.soft(await whoIs(gateway, tokens.low), what).toMatchObject({ name: 'low' });
        const made = stage.secret(`token made up (${what})`);
        expect.soft(await whoIs(gateway, made), what).toBe(401);
      }
    });

    test('gives no life to a verdict that is not believed here, each poison before the first question', async () => {
      const { cache, known } = stage;
      for (const poison of [
        '{"until":99999999999999,"value":{"user":{"name":"root","groups":["system:masters"]},"audiences":[]}}',
        'x'.repeat(43),
      ]) {
        const token = stage.secret('token of brief');
        known.set(token, { username: 'brief', groups: [] });
        const before = new Set(await cache.keys('*'));
        expect(await whoIs(apiServer, token)).toMatchObject({ name: 'brief' });
        const fresh = async () => (await cache.keys('*')).filter((key) => !before.has(key));
        await expect.poll(fresh).toHaveLength(1);
        const [key = ''] = await fresh();
        await cache.set(key, poison);
        known.delete(token);
        // Nothing that stands there is believed, so the webhook is asked, which knows the token no more.
        expect(await whoIs(gateway, token)).toBe(401);
      }
    });
  });
}
