import type { ApiObject } from '@orch/machinery';
import { ONE } from '@orch/quota';
import { ManualClock } from '@orch/runtime/testing';
import type { Key, Version } from '@orch/storage';
import type { KnownQuota } from '@orch/writing';
import { expect, it } from 'vitest';
import { QuotaVerifier, type Verification } from './quota-verifier.js';

const HOUR = 3_600_000;

/** Quotas of two pods each that tell what a test says, in which there is one pod each. */
function rig(told: Readonly<Record<string, string | undefined>>) {
  const clock = new ManualClock();
  const [visited, verified]: [string[], Verification[]] = [[], []];
  const now = { told: { ...told }, overtakes: 0, writes: 0, takes: 0 };
  const quotas = (): KnownQuota[] =>
    Object.keys(now.told).map((name) => ({
      ...{ namespace: 'ns', binary: new Set<string>(), uncounted: false },
      terms: { name, limited: ['pods'], selectors: [] },
    }));
  const quota = (name: string) => {
    const [hard, used] = [{ pods: '2' }, now.told[name]];
    return { metadata: { name }, spec: { hard }, status: { hard, used: used ? { pods: used } : {} } } as ApiObject;
  };
  const verifier = new QuotaVerifier({
    ...{ quotas, clock, intervalMs: HOUR },
    count: {
      async find({ name }: Key) {
        visited.push(name);
        return name in now.told ? { version: 1n as Version, quota: quota(name) } : undefined;
      },
      async used() {
        await clock.advance(now.takes);
        return new Map([['pods', ONE]]);
      },
      async write({ name }: Key) {
        if (now.overtakes-- > 0) return false;
        now.writes++;
        now.told[name] = '1';
        return true;
      },
    },
    onVerified: (verification) => verified.push(verification),
  });
  /** Rounds until one was verified. */
  const next = async () => {
    const pause = await verifier.round();
    await clock.advance(pause);
    await verifier.round();
    return pause;
  };
  return { verifier, next, now, clock, visited, verified };
}

it('looks at each once in its time, in their order, and begins anew', async () => {
  const { next, now, visited, verified } = rig({ b: '1', a: '1', c: '1' });
  for (let i = 0; i < 4; i++) expect(await next()).toBe(HOUR / 3);
  delete now.told.b;
  await next();
  expect(visited).toEqual(['a', 'b', 'c', 'a', 'c']);
  expect(verified).toEqual(Array(5).fill({ result: 'true' }));
  expect(now.writes).toBe(0);
});

it('looks at nothing before its time', async () => {
  const { verifier, visited, clock } = rig({ a: '1' });
  expect(await verifier.round()).toBe(HOUR);
  await clock.advance(HOUR - 1);
  expect(await verifier.round()).toBe(1);
  expect(visited).toEqual([]);
});

it('looks at one a second at most, and rests for nine times as long as it took', async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`q${i}`, '1']));
  const { verifier, now, next } = rig(many);
  expect(await next()).toBe(1_000);
  now.takes = 500;
  await next();
  expect(await verifier.round()).toBe(4_500);
});

it('mends what is not true, and says what it was', async () => {
  const { next, now, verified } = rig({ a: '2' });
  await next();
  const wrong = [{ name: 'pods', told: '2', found: '1' }];
  expect(verified).toEqual([{ result: 'mended', key: { namespace: 'ns', name: 'a' }, wrong }]);
  expect(now.told.a).toBe('1');
});

it('takes nothing for wrong that was charged meanwhile, and leaves what is charged all the time', async () => {
  const { next, now, verified } = rig({ a: '2' });
  now.overtakes = 4;
  await next();
  expect(verified).toEqual([{ result: 'overtaken' }]);
  expect(now.writes).toBe(0);
});

it('leaves one that nobody has counted, and finds none where there are none', async () => {
  const { next, now, verified } = rig({ a: undefined });
  await next();
  delete now.told.a;
  await next();
  expect(verified).toEqual([]);
});
