import { expect, test } from 'vitest';
import { afterGrace, HealthRegistry, shutdownCheck } from './health.js';
import { ManualClock } from './testing/manual-clock.js';

const broken = {
  name: 'database',
  check() {
    throw new Error('connection refused');
  },
};
const slow = { name: 'slow', check: () => Promise.resolve() };
const ask = (registry: HealthRegistry, path: string) => {
  const url = new URL(path, 'http://x');
  return registry.handle(url.pathname, url.searchParams);
};
const body = async (registry: HealthRegistry, path: string) => {
  const answer = await ask(registry, path);
  return [answer?.status, answer?.body];
};

test('well', async () => {
  const registry = new HealthRegistry().add(slow, 'livez', 'readyz');
  expect(await body(registry, '/livez')).toEqual([200, 'ok']);
  expect(await body(registry, '/livez?verbose')).toEqual([200, '[+]ping ok\n[+]slow ok\nlivez check passed\n']);
  expect(await body(registry, '/healthz?verbose=true')).toEqual([200, '[+]ping ok\nhealthz check passed\n']);
  expect(await body(registry, '/readyz/slow')).toEqual([200, 'ok']);
});

test('not well: reasons are withheld except on the path of the check', async () => {
  const registry = new HealthRegistry().add(broken, 'readyz').add(slow, 'readyz');
  const report = '[+]ping ok\n[-]database failed: reason withheld\n[+]slow ok\nreadyz check failed\n';
  expect(await body(registry, '/readyz')).toEqual([500, report]);
  expect(await body(registry, '/readyz?verbose')).toEqual([500, report]);
  expect(await body(registry, '/readyz/database')).toEqual([500, 'internal server error: connection refused\n']);
  expect(await body(registry, '/livez')).toEqual([200, 'ok']);
});

test('exclude, also of what does not exist', async () => {
  const registry = new HealthRegistry().add(broken, 'readyz');
  expect(await body(registry, '/readyz?exclude=database')).toEqual([200, 'ok']);
  expect(await body(registry, '/readyz?verbose&exclude=database&exclude=zz&exclude=aa')).toEqual([
    200,
    '[+]ping ok\n[+]database excluded: ok\nwarn: some health checks cannot be excluded: no matches for "aa","zz"\nreadyz check passed\n',
  ]);
});

test('other paths are not answered', async () => {
  const registry = new HealthRegistry();
  for (const path of ['/', '/livezz', '/livez/none', '/metrics', '/x/livez'])
    expect(await ask(registry, path)).toBeUndefined();
  expect(() => registry.add({ name: 'ping', check() {} }, 'livez')).toThrow('ping already');
});

test('a check that hangs fails after its time and leaves no timer', async () => {
  const clock = new ManualClock();
  const registry = new HealthRegistry({ clock, timeoutMs: 100 }).add(
    { name: 'hung', check: () => new Promise(() => {}) },
    'livez',
  );
  const answer = body(registry, '/livez/hung');
  await clock.advance(100);
  expect(await answer).toEqual([500, 'internal server error: the check timed out\n']);
  expect(clock.pending).toBe(0);
});

test('shutdown turns readiness red; a grace period holds a check back', async () => {
  const clock = new ManualClock();
  const stopping = new AbortController();
  const registry = new HealthRegistry({ clock })
    .add(shutdownCheck(stopping.signal), 'readyz')
    .add(afterGrace(broken, 1000, clock), 'livez');
  expect((await ask(registry, '/readyz'))?.status).toBe(200);
  expect((await ask(registry, '/livez'))?.status).toBe(200);
  stopping.abort();
  await clock.advance(1000);
  expect(await body(registry, '/readyz')).toEqual([
    500,
    '[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
  ]);
  expect((await ask(registry, '/livez'))?.status).toBe(500);
});
