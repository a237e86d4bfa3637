import { ManualClock } from '@orch/runtime/testing';
import type { Version } from '@orch/storage';
import { expect, it } from 'vitest';
import type { Followable, ServedSink } from '../conversion/converted-feed.js';
import { bodyOf, describeRow } from '../testing/fixtures.js';
import { type CacheEntry, entryOf } from './cache-entry.js';
import { FollowedState } from './followed-state.js';

const key = { namespace: 'a', name: 'one' };
const failure = new Error('no conversion');

function entry(version: Version, content: string, failed = false): CacheEntry {
  const row = { ...key, uid: 'u', version, storedVersion: '', defaults: 0, body: bodyOf({ content }) };
  return entryOf(failed ? { ...row, failure } : row, describeRow);
}

/** A state that begins with one object that could not be converted. */
function setUp() {
  let sink: ServedSink | undefined;
  const feed: Followable = {
    follow: (_type, delivered, into) => {
      sink = into;
      return { delivered, confirmedAt: undefined, confirm: async () => delivered, close: () => undefined };
    },
  };
  const failed = entry(1n, 'failed', true);
  const followed = new FollowedState(
    { version: 1n, entries: [failed] },
    {
      type: 1,
      feed,
      describe: describeRow,
      clock: new ManualClock(),
      observer: undefined,
      ringMaxAge: 1_000,
      ringMaxBytes: 1_000,
      maxIndexes: 0,
      onEvent: () => undefined,
      onReset: () => undefined,
    },
  );
  const change = (version: Version, content: string): void => {
    const { uid, body } = entry(version, content);
    const lying = { storedVersion: '', defaults: 0, at: 0 };
    sink?.changes([{ ...key, ...lying, type: 1, version, previous: version - 1n, op: 'update', uid, body }]);
  };
  return { followed, failed, change };
}

it('a state that could be made after all takes the place of the one that failed', () => {
  const { followed, failed } = setUp();
  const healed = entry(1n, 'healed');
  followed.heal(failed, healed);
  expect(followed.state.get(key)).toBe(healed);
  expect([...followed.state.failed]).toEqual([]);
});

it('a state that has been replaced meanwhile takes nobody’s place', () => {
  const { followed, failed, change } = setUp();
  change(2n, 'changed');
  followed.heal(failed, entry(1n, 'healed'));
  expect(followed.state.get(key)?.version).toBe(2n);
});
