import { type Authentication, authenticated } from '@orch/authentication';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { type AdmittedWatch, bareRequest, OpenWatches } from '@orch/serving';
import { beforeEach, expect, test } from 'vitest';
import { CredentialRechecks } from './credential-rechecks.js';

const TTL_MS = 120_000;

let clock: ManualClock;
let watches: OpenWatches;
/** Keys of the credentials that were asked about, in order. */
let asked: string[];
/** What is said of each credential; the same user where it is not here. */
let said: Map<string, () => Promise<Authentication | undefined>>;
/** Codes by which watches have ended, by their key. */
let ended: [key: string, code: number][];

beforeEach(() => {
  clock = new ManualClock();
  watches = new OpenWatches({ inAll: 0, perUser: 0 });
  [asked, said, ended] = [[], new Map(), []];
  new CredentialRechecks({ watches, clock, logger: silentLogger });
});

function credential(key: string, ttl = TTL_MS): Authentication {
  const again = async () => {
    asked.push(key);
    return (said.get(key) ?? (async () => credential(key, ttl)))();
  };
  const user = { name: key, groups: ['dev'], extra: {} };
  return { ...authenticated(user, 'token'), recheck: { key, dueAt: clock.wall() + ttl, again } };
}

function open(key: string, ttl = TTL_MS): AdmittedWatch {
  const authentication = credential(key, ttl);
  const watch = watches.admit({ authentication, user: authentication.user, request: bareRequest('GET', '/') });
  watch?.endBy(({ code }) => ended.push([key, code]));
  return watch as AdmittedWatch;
}

test('a credential is asked about when what is known of it ends, once for all its watches', async () => {
  for (const key of ['a', 'a', 'b']) open(key);
  await clock.advance(TTL_MS - 1);
  expect(asked).toEqual([]);
  await clock.advance(1_000);
  expect(asked).toEqual(['a', 'b']);
  await clock.advance(TTL_MS + 1_000);
  expect(asked).toEqual(['a', 'b', 'a', 'b']);
  expect(ended).toEqual([]);
});

test('its watches end where it is not good any more, and no others', async () => {
  for (const key of ['a', 'a', 'b']) open(key);
  said.set('a', async () => undefined);
  await clock.advance(TTL_MS + 1_000);
  expect(ended).toEqual([
    ['a', 401],
    ['a', 401],
  ]);
});

test('and where it stands for another user, or for one with other groups', async () => {
  open('a');
  const now = credential('a');
  said.set('a', async () => ({ ...now, user: { ...now.user, groups: [] } }));
  await clock.advance(TTL_MS + 1_000);
  expect(ended).toEqual([['a', 401]]);
});

test('they go on as long as nobody can tell, and end once somebody can', async () => {
  open('a');
  said.set('a', () => Promise.reject(new Error('no answer')));
  await clock.advance(TTL_MS + 60_000);
  expect(asked.length).toBeGreaterThan(3);
  expect(ended).toEqual([]);
  said.set('a', async () => undefined);
  await clock.advance(20_000);
  expect(ended).toEqual([['a', 401]]);
});

test('one about which nobody answers keeps none of the others from being asked about', async () => {
  for (const key of ['a', 'b']) open(key);
  said.set('a', () => new Promise(() => undefined));
  said.set('b', async () => undefined);
  await clock.advance(TTL_MS + 1_000);
  expect(ended).toEqual([['b', 401]]);
});

test('nobody is asked about a credential whose watches have ended', async () => {
  const watch = open('a');
  watches.release(watch);
  await clock.advance(2 * TTL_MS);
  expect(asked).toEqual([]);
  expect(clock.pending).toBe(0);
  open('a');
  await clock.advance(TTL_MS + 1_000);
  expect(asked).toEqual(['a']);
});

test('many are asked about one after another, and one of which nothing is kept once a second', async () => {
  for (let n = 0; n < 500; n++) open(`k${n}`, 0);
  await clock.advance(2_000);
  // 50 a second, from the first second on.
  expect(asked.length).toBeGreaterThan(40);
  expect(asked.length).toBeLessThan(60);
});
