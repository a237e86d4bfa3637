import { type HealthEndpoint, HealthRegistry } from '@orch/runtime';
import { expect, it } from 'vitest';
import { feedCheck } from './feed.js';
import { addEncryptionCheck, storeCheck } from './store.js';

const failing = async (health: HealthRegistry, endpoint: HealthEndpoint = 'readyz') =>
  (await health.run(endpoint)).filter(([, passed]) => !passed).map(([name]) => name);

it('is not ready while what is in memory was last confirmed more than five seconds ago', async () => {
  let lag: number | undefined;
  const health = new HealthRegistry().add(
    feedCheck(() => (lag === undefined ? undefined : { medianLag: () => lag as number })),
    'readyz',
  );
  for (const [ms, expected] of [
    [undefined, ['feed']],
    [5_000, []],
    [5_001, ['feed']],
    [60_000, ['feed']],
    [100, []],
  ] as const) {
    lag = ms;
    expect(await failing(health)).toEqual(expected);
  }
});

it('is not ready before the database is open, nor while it cannot be reached', async () => {
  let store: { ping(): Promise<void> } | undefined;
  const health = new HealthRegistry().add(
    storeCheck(() => store as never),
    'readyz',
  );
  expect(await failing(health)).toEqual(['postgres']);
  store = { ping: () => Promise.reject(new Error('connection refused')) };
  expect(await failing(health)).toEqual(['postgres']);
  store = { ping: async () => undefined };
  expect(await failing(health)).toEqual([]);
});

it('is not ready while key management services are not well, and live all the same', async () => {
  const check = () => Promise.reject(new Error('vault is away'));
  const health = addEncryptionCheck(new HealthRegistry(), { check });
  expect(await failing(health)).toEqual(['kms-providers']);
  expect(await failing(health, 'healthz')).toEqual(['kms-providers']);
  expect(await failing(health, 'livez')).toEqual([]);
});
