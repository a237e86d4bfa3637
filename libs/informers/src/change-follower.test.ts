import type { FeedSink, Following } from '@orch/feed';
import { ManualClock } from '@orch/runtime/testing';
import type { Change, Version } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { ChangeFollower } from './change-follower.js';
import { STALL_MS } from './stall.js';

/** A follower of changes that the test makes. */
function followed(heads: readonly Version[] = [7n]) {
  const clock = new ManualClock();
  const seen: string[] = [];
  const begun: { readonly after: Version; readonly sink: FeedSink; isClosed: boolean }[] = [];
  const stalls = new Set<(at: Version) => void>();
  let [reads, isDown] = [0, false];
  const follower = new ChangeFollower({
    ...{ type: 1, clock },
    store: {
      async heads() {
        if (isDown) throw new Error('no database');
        const head = heads[reads++];
        return new Map(head === undefined ? [] : [[1, { head, floor: 0n }]]);
      },
      onStalledHistory(_type, listener) {
        stalls.add(listener);
        return () => stalls.delete(listener);
      },
    },
    feed: {
      follow(_type, after, sink): Following {
        const one = { after, sink, isClosed: false };
        begun.push(one);
        const close = () => {
          one.isClosed = true;
        };
        return { delivered: after, confirmedAt: undefined, confirm: async () => 0n, close };
      },
    },
    changed: (changes) => void seen.push(...changes.map(({ name }) => name)),
    reset: () => void seen.push('reset'),
  });
  return {
    ...{ clock, seen, begun, stalls, follower },
    change: (name: string) => begun.at(-1)?.sink.changes([{ namespace: 'a', name } as Change]),
    stall: (at: Version) => {
      for (const listener of stalls) listener(at);
    },
    down: (is: boolean) => {
      isDown = is;
    },
  };
}

describe('a follower of changes', () => {
  it('follows from the newest version on, once for all who ask, and ends when it is stopped', async () => {
    const { follower, begun, seen, change, stalls } = followed();
    await Promise.all([follower.follow(), follower.follow()]);
    await follower.follow();
    expect([begun.map(({ after }) => after), follower.isFollowing]).toEqual([[7n], true]);
    change('x');
    expect(seen).toEqual(['x']);
    follower.stop();
    expect([begun[0]?.isClosed, stalls.size, follower.isFollowing]).toEqual([true, 0, false]);
    await follower.follow();
    expect(begun).toHaveLength(1);
  });

  it('does not begin once it was stopped while it read from where', async () => {
    const { follower, begun } = followed();
    const following = follower.follow();
    follower.stop();
    await following;
    expect(begun).toEqual([]);
  });

  it('says why it cannot begin, and begins when it is asked again', async () => {
    const { follower, down } = followed();
    down(true);
    await expect(follower.follow()).rejects.toThrow('no database');
    down(false);
    await follower.follow();
    expect(follower.isFollowing).toBe(true);
    await expect(followed([]).follower.follow()).rejects.toThrow('the database knows no type 1');
  });

  it('is reset where the feed has lost its way, and follows anew when it is asked to', async () => {
    const { follower, begun, seen } = followed([7n, 9n]);
    await follower.follow();
    begun[0]?.sink.reset('expired');
    expect([seen, follower.isFollowing]).toEqual([['reset'], false]);
    await follower.follow();
    expect(begun.map(({ after }) => after)).toEqual([7n, 9n]);
  });

  it('is reset where a change holds up the others for long, and not for what was delivered', async () => {
    const { clock, follower, begun, seen, stall, change, stalls } = followed([7n, 9n]);
    await follower.follow();
    stall(8n);
    await clock.advance(STALL_MS - 1);
    stall(8n);
    change('x');
    await clock.advance(STALL_MS);
    stall(7n);
    stall(8n);
    expect(seen).toEqual(['x']);
    await clock.advance(STALL_MS);
    stall(8n);
    expect([seen, begun[0]?.isClosed]).toEqual([['x', 'reset'], true]);
    await follower.follow();
    expect([begun.length, stalls.size]).toEqual([2, 1]);
  });
});
