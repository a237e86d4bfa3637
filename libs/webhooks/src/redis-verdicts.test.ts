import { afterEach, beforeEach, expect, it } from 'vitest';
import { RedisVerdicts, type RedisVerdictsSettings } from './redis-verdicts.js';
import { MemoryRedis } from './testing/memory-redis.js';

const SECRET = Buffer.alloc(32, 7);
const NOW = 1_000_000;
let redis: MemoryRedis;
let opened: RedisVerdicts[];
let errors: unknown[];
let clock: number;
beforeEach(async () => {
  redis = await MemoryRedis.start();
  [opened, errors, clock] = [[], [], NOW];
});
afterEach(async () => {
  for (const verdicts of opened) verdicts.close();
  await redis.close().catch(() => undefined);
});

function open(settings: Partial<RedisVerdictsSettings> = {}): RedisVerdicts {
  const onError = (error: unknown) => errors.push(error);
  const verdicts = new RedisVerdicts({
    url: redis.url,
    secret: SECRET,
    now: () => clock,
    timeoutMs: 2_000,
    onError,
    ...settings,
  });
  opened.push(verdicts);
  return verdicts;
}

const KEPT = { value: { user: 'jäne' }, until: NOW + 60_000 };
/** Set as soon as the connection is there. */
const shared = async (verdicts: RedisVerdicts, parts: readonly string[] = ['token', 'secret']) => {
  await expect.poll(async () => (await verdicts.set(parts, KEPT)) ?? verdicts.get(parts)).toEqual(KEPT);
  return [...redis.values.keys()].at(-1) as string;
};

it('what one process has kept another finds, until its time is over', async () => {
  await shared(open());
  const other = open();
  await expect.poll(() => other.get(['token', 'secret'])).toEqual(KEPT);
  expect(await other.get(['tokens', 'ecret'])).toBeUndefined();
  clock = KEPT.until;
  expect(await other.get(['token', 'secret'])).toBeUndefined();
});

it('neither names nor values tell what was asked about', async () => {
  await shared(open());
  expect(JSON.stringify([...redis.values])).not.toContain('secret');
});

it.each<[string, (value: string) => string]>([
  ['made up', () => JSON.stringify({ value: { user: 'admin' }, until: NOW + 1e9 })],
  ['changed', (value) => value.replace('jäne', 'root').replace(/j.*ne/, 'root')],
  ['made to last', (value) => value.replace(/"until":\d+/, '"until":9999999999999')],
  ['cut', (value) => value.slice(0, 20)],
  ['empty', () => ''],
  ['of another length', (value) => `${value} `],
  ['a prefix of none', () => 'x'.repeat(43)],
])('what is %s is not there', async (_, spoil) => {
  const verdicts = open();
  const name = await shared(verdicts);
  redis.values.set(name, spoil(String(redis.values.get(name))));
  expect(await verdicts.get(['token', 'secret'])).toBeUndefined();
});

it('what belongs to another question, or is sealed with another secret, is not there', async () => {
  const verdicts = open();
  const name = await shared(verdicts);
  const other = await shared(verdicts, ['token', 'other']);
  expect(other).not.toBe(name);
  redis.values.set(other, String(redis.values.get(name)));
  expect(await verdicts.get(['token', 'other'])).toBeUndefined();
  const stranger = open({ secret: Buffer.alloc(32, 8) });
  await shared(stranger, ['x']);
  expect(await stranger.get(['token', 'secret'])).toBeUndefined();
});

it('a Redis that is gone, or says nothing, costs verdicts and never a failure', async () => {
  const { port } = redis;
  const verdicts = open({ timeoutMs: 20 });
  await shared(verdicts);
  expect(verdicts.isUsable).toBe(true);
  redis.silent = true;
  expect(await verdicts.get(['token', 'secret'])).toBeUndefined();
  expect(verdicts.isUsable).toBe(false);
  redis.silent = false;
  await redis.close();
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(await verdicts.get(['token', 'secret'])).toBeUndefined();
  expect(await verdicts.set(['token', 'secret'], KEPT)).toBeUndefined();
  await redis.listen(port);
  await expect.poll(() => verdicts.get(['token', 'secret']), { timeout: 30_000 }).toEqual(KEPT);
  expect(verdicts.isUsable).toBe(true);
});

it('is not opened with a short secret, or for what is no Redis', () => {
  expect(() => open({ secret: Buffer.alloc(31) })).toThrow('less than 32 bytes');
  for (const url of ['http://x', 'redis', '']) expect(() => open({ url })).toThrow('redis://host:port');
});
