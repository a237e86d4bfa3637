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
    /** A token that the api-server has asked about, and where its verdict lies. */
    async function shared(username: string, groups: readonly string[]) {
      const token = stage.secret(`token of ${username}`);
      stage.known.set(token, { username, groups });
      const before = new Set(await stage.cache.keys('*'));
      expect(await whoIs(apiServer, token)).toMatchObject({ name: username });
      const fresh = async () => (await stage.cache.keys('*')).filter((key) => !before.has(key));
      await expect.poll(fresh, { timeout: 30_000 }).toHaveLength(1);
      const [key = ''] = await fresh();
      return { token, key, value: String(await stage.cache.get(key)) };
    }

    test('learns from it no token, and makes nobody out of one that it is not', async () => {
      const { cache } = stage;
      const connected = async () => ((await cache.client('LIST')) as string).trim().split('\n').length;
      await expect.poll(connected, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
      const root = await shared('root', ['system:masters']);
      // Names tell nothing to whoever knows, or guesses, a token.
      expect(root.key + root.value).not.toContain(root.token);
      for (const digest of ['hex', 'base64', 'base64url'] as const)
        for (const algorithm of ['sha256', 'sha1', 'md5'])
          expect(root.key).not.toContain(createHash(algorithm).update(root.token).digest(digest));
      const poisons: Readonly<Record<string, (key: string, value: string) => Promise<unknown>>> = {
        'another name in it': (key, value) => cache.set(key, value.replace('"low"', '"root"')),
        'another group in it': (key, value) => cache.set(key, value.replace('"a"', '"system:masters"')),
        'the verdict of another': (key) => cache.set(key, root.value),
        'no seal': (key) => cache.set(key, root.value.replace(/^[^{]*/, '')),
        'the seal of another': (key, value) => cache.set(key, value.slice(0, 43) + root.value.slice(43)),
        'a longer time in it': (key, value) => cache.set(key, value.replace(/"until":\d+/, '"until":99999999999999')),
        'two of them': (key, value) => cache.set(key, value + root.value),
        'no JSON': (key, value) => cache.set(key, `${value.slice(0, 43)}{`),
        nothing: (key) => cache.set(key, ''),
        'a list': async (key) => {
          await cache.del(key);
          return cache.lpush(key, root.value);
        },
        'much of it': (key) => cache.set(key, root.value.padEnd(1 << 20, 'x')),
      };
      for (const [what, poison] of Object.entries(poisons)) {
        // One that the gateway has not heard of: it looks into Redis first, and asks where it believes nothing there.
        const { token, key, value } = await shared('low', ['a']);
        await poison(key, value);
        const found = await whoIs(gateway, token);
        expect.soft(found, what).toMatchObject({ name: 'low', groups: ['a', 'system:authenticated'] });
        expect.soft(await whoIs(gateway, stage.secret(`token made up (${what})`)), what).toBe(401);
      }
    });

    test('gives no life to a verdict that is over', async () => {
      const brief = { user: { name: 'root', groups: ['system:masters'] }, audiences: [] };
      for (const poison of [JSON.stringify({ until: 99_999_999_999_999, value: brief }), 'x'.repeat(43)]) {
        const { token, key } = await shared('brief', []);
        await stage.cache.set(key, poison);
        stage.known.delete(token);
        // Nothing that stands there is believed, so the webhook is asked, which knows the token no more.
        expect(await whoIs(gateway, token)).toBe(401);
      }
    });
  });
}
