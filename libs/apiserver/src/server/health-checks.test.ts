import { createLogger } from '@orch/runtime';
import { expect, it } from 'vitest';
import { healthChecks } from './health-checks.js';

it('is not ready while key management services are not well, and live all the same', async () => {
  const health = healthChecks({
    logger: createLogger({ format: 'text', verbosity: 0, write: () => undefined }),
    stopping: new AbortController().signal,
    livezGraceMs: 0,
    pingStore: async () => undefined,
    feedLag: () => 0,
    isBootstrapped: () => true,
    hasPolicy: () => true,
    encryption: { check: () => Promise.reject(new Error('vault is away')) },
  });
  const failing = async (endpoint: 'readyz' | 'livez' | 'healthz') =>
    (await health.run(endpoint)).filter(([, passed]) => !passed).map(([name]) => name);
  expect(await failing('readyz')).toEqual(['kms-providers']);
  expect(await failing('healthz')).toEqual(['kms-providers']);
  expect(await failing('livez')).toEqual([]);
});

it('is not ready while what is in memory was last confirmed more than five seconds ago, and live all the same', async () => {
  let lag = 0;
  const health = healthChecks({
    logger: createLogger({ format: 'text', verbosity: 0, write: () => undefined }),
    stopping: new AbortController().signal,
    livezGraceMs: 0,
    pingStore: async () => undefined,
    feedLag: () => lag,
    isBootstrapped: () => true,
    hasPolicy: () => true,
  });
  const failing = async (endpoint: 'readyz' | 'livez') =>
    (await health.run(endpoint)).filter(([, passed]) => !passed).map(([name]) => name);
  for (const [ms, expected] of [
    [5_000, []],
    [5_001, ['feed']],
    [60_000, ['feed']],
    [100, []],
  ] as const) {
    lag = ms;
    expect(await failing('readyz')).toEqual(expected);
    expect(await failing('livez')).toEqual([]);
  }
});
