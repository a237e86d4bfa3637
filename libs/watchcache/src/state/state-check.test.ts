import { HistoryExpiredError } from '@orch/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { StateMismatchError } from '../errors.js';
import { bodyOf } from '../testing/fixtures.js';
import { Rig, type RigOptions, TYPE } from '../testing/rig.js';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function start(options: RigOptions = {}): Promise<{ rig: Rig; errors: unknown[] }> {
  const errors: unknown[] = [];
  const rig = new Rig({ onError: (error) => errors.push(error), ...options });
  rigs.push(rig);
  await rig.clock.settle();
  for (let number = 0; number < 1000; number++) rig.write(`a/o${number}`, { content: 'x' });
  await rig.clock.settle();
  return { rig, errors };
}

/** Makes the database another than what it said. */
function tamper(rig: Rig, change: (rows: Map<string, { body: Buffer }>) => void): void {
  const rows = new Map<string, { body: Buffer }>();
  const history = rig.source.history(TYPE) as unknown as ({ namespace: string; name: string; body: Buffer } & object)[];
  for (const each of history) rows.set(`${each.namespace}/${each.name}`, each);
  change(rows);
}

describe('the check of a state', () => {
  it('finds nothing where all is well, also while objects change', async () => {
    const { rig, errors } = await start();
    const { sink } = await rig.watch();
    const checking = rig.cache.check();
    for (let number = 0; number < 500; number++) rig.write(`a/o${number}`, { content: 'y' });
    rig.write('a/o999', 'deleted');
    await rig.clock.settle();
    await checking;
    expect(rig.cache.stats()).toMatchObject({ checks: 1, mismatches: 0, snapshots: 1 });
    expect(sink.ended).toBe(false);
    expect(errors).toEqual([]);
  });

  it.each([
    ['another body', (row: { body: Buffer }) => Object.assign(row, { body: bodyOf({ content: 'z' }) })],
    ['another uid', (row: { body: Buffer }) => Object.assign(row, { uid: 'other' })],
    ['an object too many', (row: { body: Buffer }) => Object.assign(row, { op: 'delete' })],
    ['an object too few', (row: { body: Buffer }) => Object.assign(row, { name: 'o500b' })],
  ])('%s: ends the streams and reads the state anew', async (_what, change) => {
    const { rig, errors } = await start();
    const { sink } = await rig.watch({ from: { after: rig.cache.version } });
    rig.source.drawn = rig.cache.version + 1000n;
    const waiting = await rig.watch({ from: { after: rig.cache.version + 1000n } });
    tamper(rig, (rows) => change(rows.get('a/o500') ?? expect.unreachable()));
    const checking = rig.cache.check();
    await rig.clock.settle();
    await checking;
    expect(errors).toEqual([expect.any(StateMismatchError)]);
    expect(errors[0]).toMatchObject({ type: TYPE, version: 1000n, key: { namespace: 'a' } });
    expect([sink.summary, sink.ended]).toEqual([['ERROR expired'], true]);
    expect(waiting.sink.ended).toBe(true);
    await rig.clock.settle();
    expect(rig.cache.stats()).toMatchObject({ ready: true, checks: 1, mismatches: 1, snapshots: 2 });
    const next = await rig.watch({ initialEvents: 'none' });
    rig.write('a/new');
    await rig.clock.settle();
    expect(next.sink.summary).toEqual(['ADDED a/new@1001']);
  });

  it('says nothing of a state that was replaced while it was compared', async () => {
    const { rig, errors } = await start();
    const { sink } = await rig.watch({ from: { after: rig.cache.version } });
    const snapshot = rig.source.snapshot.bind(rig.source);
    let begin = (): void => undefined;
    rig.source.snapshot = async (request) => {
      rig.source.snapshot = snapshot;
      await new Promise<void>((resolve) => {
        begin = resolve;
      });
      return snapshot(request);
    };
    const checking = rig.cache.check();
    await rig.clock.settle();
    tamper(rig, (rows) =>
      Object.assign(rows.get('a/o500') ?? expect.unreachable(), { body: bodyOf({ content: 'z' }) }),
    );
    rig.source.rewind(TYPE, 1000n, true);
    await rig.clock.settle();
    const next = await rig.watch({ initialEvents: 'none' });
    begin();
    await checking;
    await rig.clock.settle();
    expect(errors).toEqual([]);
    expect([sink.ended, next.sink.ended]).toEqual([true, false]);
    expect(rig.cache.stats()).toMatchObject({ ready: true, checks: 0, mismatches: 0, snapshots: 2 });
  });

  it('says nothing when the database does not answer, or has forgotten the version', async () => {
    const { rig, errors } = await start();
    rig.source.down = true;
    await rig.cache.check();
    rig.source.down = false;
    rig.source.snapshot = () => Promise.reject(new HistoryExpiredError(1000n, 5000n, 5000n));
    await rig.cache.check();
    expect(rig.cache.stats()).toMatchObject({ ready: true, checks: 0, mismatches: 0 });
    expect(errors).toHaveLength(1);
  });
});
