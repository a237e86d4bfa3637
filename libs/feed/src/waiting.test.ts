import { expect, it } from 'vitest';
import type { AnnouncedChange } from './feed.js';
import { PendingAnnouncements } from './waiting.js';

const change = (version: bigint, bytes = 10): AnnouncedChange => ({
  ...{ type: 1, version, previous: version - 1n, op: 'update', namespace: 'a', name: 'o', uid: 'u', at: 0 },
  ...{ storedVersion: 'v1', defaults: 0, body: Buffer.alloc(bytes) },
});

it('changes that wait have a bound in bytes, and make room for others when they are forgotten', () => {
  const waiting = new PendingAnnouncements();
  for (const version of [2n, 3n, 4n, 5n, 6n]) waiting.hold(change(version, 1 << 20));
  const held = () => [1n, 2n, 3n, 4n, 5n].map((previous) => waiting.has(previous));
  expect(held()).toEqual([true, true, true, true, false]);
  waiting.forget(3n);
  expect(held()).toEqual([false, false, true, true, false]);
  waiting.hold(change(6n, 1 << 20));
  waiting.hold(change(7n, 1 << 20));
  waiting.hold(change(8n, 1));
  expect(held()).toEqual([false, false, true, true, true]);
  expect([waiting.has(6n), waiting.has(7n)]).toEqual([true, false]);
});
