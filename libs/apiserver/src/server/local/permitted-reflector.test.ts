import { forbiddenRequest } from '@orch/authorization';
import { OpenWatches } from '@orch/serving';
import { expect, it, vi } from 'vitest';
import { PermittedReflector, type ReflectorAccess } from './permitted-reflector.js';

const USER = { name: 'u', groups: [], extra: {} };
const ENDPOINT = { definition: { group: '', version: 'v1', resource: 'pods' } };

/** A reflector whose rights are asked for by `make`, and what it follows by. */
function reflecting(watches: OpenWatches, make: () => Promise<void> = async () => undefined) {
  const listAndWatch = vi.fn((_target: unknown, _signal: AbortSignal) => Promise.resolve());
  const made = vi.fn(() => ({ listAndWatch }) as never);
  const access = { identity: { user: USER, agent: 'a' }, requests: { make }, watches } as unknown as ReflectorAccess;
  const reflector = new PermittedReflector(access, () => ENDPOINT as never, made);
  const follow = (signal = new AbortController().signal) => reflector.listAndWatch({} as never, signal);
  return { follow, listAndWatch, made };
}

it('does not follow what has ended while the rights were asked for', async () => {
  const [ended, watches] = [new AbortController(), new OpenWatches({ inAll: 0, perUser: 0 })];
  const { follow, listAndWatch } = reflecting(watches, async () => ended.abort());
  await expect(follow(ended.signal)).rejects.toThrow('aborted');
  expect([listAndWatch.mock.calls, watches.size]).toEqual([[], 0]);
});

it('goes on by what it knows after a gap, and anew once the rights were lost', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const { follow, listAndWatch, made } = reflecting(watches);
  await follow();
  await follow();
  expect([listAndWatch.mock.calls.length, made.mock.calls.length]).toEqual([2, 1]);
  listAndWatch.mockImplementation((_target, signal) => {
    void watches.reevaluate(({ user, request }) => forbiddenRequest(user, request), { users: ['u'] });
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  });
  await expect(follow()).rejects.toMatchObject({ code: 403 });
  listAndWatch.mockResolvedValue(undefined);
  await follow();
  expect(made.mock.calls.length).toBe(2);
});

it('ends a watch whose rights were lost while it was asked for, and forgets what it had announced', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const [announced, forgotten] = [vi.spyOn(watches, 'expect'), vi.spyOn(watches, 'forget')];
  const { follow, listAndWatch } = reflecting(watches, async () => {
    await watches.reevaluate(({ user, request }) => forbiddenRequest(user, request), { users: ['u'] });
  });
  listAndWatch.mockImplementation(
    (_target, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  await expect(follow()).rejects.toMatchObject({ code: 403 });
  expect(forgotten.mock.calls).toEqual(announced.mock.results.map(({ value }) => [value]));
});

it('follows nothing beyond the bounds of watches', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 1 });
  const [first, second] = [reflecting(watches), reflecting(watches)];
  const ended = new AbortController();
  first.listAndWatch.mockImplementation(
    (_target, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  const following = first.follow(ended.signal);
  await expect.poll(() => watches.size).toBe(1);
  await expect(second.follow()).rejects.toMatchObject({ code: 429 });
  ended.abort();
  await following;
  await second.follow();
});
