import { authenticated } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { bareRequest, OpenWatches } from '@orch/serving';
import { beforeEach, expect, test } from 'vitest';
import { WatchRechecks } from './watch-rechecks.js';

const INTERVAL_MS = 60_000;

let clock: ManualClock;
let watches: OpenWatches;
/** Users whose watches were judged, in order. */
let judged: string[];
/** What is said of the watches of a user; nothing where they may go on. */
let said: Map<string, () => Promise<StatusError | undefined>>;
/** Users whose watches have ended. */
let ended: string[];

beforeEach(() => {
  clock = new ManualClock();
  watches = new OpenWatches({ inAll: 0, perUser: 0 });
  [judged, said, ended] = [[], new Map(), []];
});

const begin = (intervalMs = INTERVAL_MS) =>
  new WatchRechecks({
    ...{ watches, clock, intervalMs, logger: silentLogger },
    judge: async ({ user }) => {
      judged.push(user.name);
      return said.get(user.name)?.();
    },
  });

function open(name: string) {
  const authentication = authenticated({ name, groups: [], extra: {} }, 'token');
  const watch = watches.admit({ authentication, user: authentication.user, request: bareRequest('GET', '/') });
  watch?.endBy(() => {
    ended.push(name);
    watches.release(watch);
  });
  return watch;
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `u${at}`);
/** Time goes by in small steps, as rounds take turns of the event loop between them. */
async function pass(ms: number): Promise<void> {
  for (let step = 0; step < 60; step++) await clock.advance(ms / 60);
}

test('each watch is judged once in an interval, a few at a time', async () => {
  begin();
  for (const name of names(120)) open(name);
  await clock.advance(INTERVAL_MS / 60);
  expect(judged).toEqual(['u0', 'u1']);
  await pass(INTERVAL_MS - INTERVAL_MS / 60);
  expect(judged).toEqual(names(120));
  await pass(INTERVAL_MS);
  expect(judged).toEqual([...names(120), ...names(120)]);
  expect(ended).toEqual([]);
});

test('those whose rights are gone end, and no others', async () => {
  begin();
  for (const name of names(6)) open(name);
  for (const name of ['u1', 'u4']) said.set(name, async () => new StatusError('Forbidden', 'no more'));
  await pass(INTERVAL_MS);
  expect(ended).toEqual(['u1', 'u4']);
  await pass(INTERVAL_MS);
  expect([watches.size, ended.length]).toEqual([4, 2]);
});

test('as long as nobody can tell they go on', async () => {
  begin();
  open('a');
  said.set('a', async () => {
    throw new Error('nobody answers');
  });
  await pass(3 * INTERVAL_MS);
  expect([judged.length, ended]).toEqual([3, []]);
});

test('whoever answers slowly is not asked about more and more', async () => {
  begin();
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  for (const name of names(500)) {
    open(name);
    said.set(name, async () => void (await answered));
  }
  await pass(2 * INTERVAL_MS);
  expect(judged).toHaveLength(100);
  answer();
  await pass(2 * INTERVAL_MS);
  expect(new Set(judged).size).toBe(500);
});

test('nothing is judged where it is not to be, or no more', async () => {
  open('a');
  begin(0);
  const rechecks = begin();
  rechecks.stop();
  await pass(3 * INTERVAL_MS);
  expect(judged).toEqual([]);
});
