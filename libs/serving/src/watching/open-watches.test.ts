import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { authenticated, type BoundObject, type ObjectName } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { bareRequest } from '../chain/request-info.js';
import { OpenWatches } from './open-watches.js';

const NO_BOUNDS = { inAll: 0, perUser: 0 };
const watchOf = (name: string, ...groups: string[]) => {
  const authentication = authenticated({ name, groups, extra: {} }, 'token');
  return { authentication, user: authentication.user, request: bareRequest('GET', '/') };
};

const bindingTo = (name: string): BoundObject => {
  const object: ObjectName = { kind: 'Pod', namespace: 'ns', name };
  return { object, refusal: () => undefined };
};
const boundWatch = (...names: string[]) => {
  const user = { name: 'robot', groups: [], extra: {} };
  const authentication = { ...authenticated(user, 'token'), boundTo: names.map(bindingTo) };
  return { authentication, user, request: bareRequest('GET', '/') };
};
const refusal = () => new StatusError('Unauthorized', 'Unauthorized');

it('does not keep watches that have ended', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const watches = new OpenWatches(NO_BOUNDS);
  const ended = Array.from({ length: 100 }, () => {
    const open = Array.from({ length: 10 }, () => watches.admit(watchOf('jane')));
    for (const watch of open) if (watch) watches.release(watch);
    return open.map((watch) => new WeakRef(watch as object));
  }).flat();
  // What a WeakRef was made of lives until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(ended.filter((watch) => watch.deref() !== undefined)).toHaveLength(0);
});

describe('watches that are judged again', () => {
  it('are those alone of the users and groups whom it concerns, each once', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const admitted = [watchOf('jane', 'dev'), watchOf('joe', 'dev', 'ops'), watchOf('ann', 'ops'), watchOf('eve')].map(
      (watch) => watches.admit(watch),
    );
    const judged = async (users: string[], groups: string[]) => {
      const seen: string[] = [];
      const judge = ({ user }: { user: { name: string } }) => void seen.push(user.name);
      await watches.reevaluate(judge, { users: new Set(users), groups: new Set(groups) });
      return seen.sort();
    };
    expect(await judged(['joe'], [])).toEqual(['joe']);
    expect(await judged(['jane', 'nobody'], ['ops'])).toEqual(['ann', 'jane', 'joe']);
    expect(await judged([], ['system:authenticated'])).toEqual(['ann', 'eve', 'jane', 'joe']);
    expect(await judged([], [])).toEqual([]);
    if (admitted[1]) watches.release(admitted[1]);
    expect(await judged(['joe'], ['ops'])).toEqual(['ann']);
  });

  it('are those too of whom another acts as', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const { authentication, request } = watchOf('admin', 'ops');
    const { user } = watchOf('jane', 'dev');
    watches.admit({ authentication, user, request, impersonating: [bareRequest('GET', '/')] });
    for (const concerned of [{ users: ['admin'] }, { groups: ['ops'] }, { users: ['jane'] }, { groups: ['dev'] }])
      expect(await watches.reevaluate(refusal, concerned)).toBe(1);
  });

  it('do not wait for each other', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    for (const name of ['a', 'b', 'c']) watches.admit(watchOf(name));
    let goOn = (): void => undefined;
    const last = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const judge = async ({ user }: { user: { name: string } }) => {
      if (user.name === 'c') goOn();
      await last;
      return refusal();
    };
    expect(await watches.reevaluate(judge)).toBe(3);
  });

  it('do not wait for those about whom nobody answers, however many these are', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const hanging = new Promise<undefined>(() => undefined);
    for (let n = 0; n < 300; n++) watches.admit(watchOf('joe'));
    const last = new Promise((resolve) => watches.admit(watchOf('jane'))?.endBy(resolve));
    void watches.reevaluate(({ user }) => (user.name === 'joe' ? hanging : refusal()));
    expect(await last).toMatchObject({ code: 401 });
  });

  it('end with the refusal', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const refusal = new StatusError('Forbidden', 'no more');
    const ended: StatusError[] = [];
    watches.admit(watchOf('jane'))?.endBy((error) => void ended.push(error));
    expect(await watches.reevaluate(() => refusal, { users: new Set(['jane']), groups: new Set() })).toBe(1);
    expect(ended).toEqual([refusal]);
  });

  it('only those are judged again whose credential is bound to what has changed', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const admitted = [['a'], ['b'], ['a', 'b'], []].map((names) => watches.admit(boundWatch(...names)));
    const judged: unknown[] = [];
    const judge = (watch: unknown) => {
      judged.push(watch);
      return refusal();
    };
    const [a, b, both, none] = admitted;
    expect(await watches.reevaluate(judge, { objects: ['Pod/ns/c'] })).toBe(0);
    expect(await watches.reevaluate(judge, { objects: ['Pod/ns/a', 'Pod/ns/b'] })).toBe(3);
    expect(new Set(judged)).toEqual(new Set([a, b, both]));
    expect(judged).toHaveLength(3);
    for (const watch of [a, both]) if (watch) watches.release(watch);
    judged.length = 0;
    await watches.reevaluate(judge, { objects: ['Pod/ns/a', 'Pod/ns/b'] });
    expect(judged).toEqual([b]);
    judged.length = 0;
    await watches.reevaluate(judge);
    expect(new Set(judged)).toEqual(new Set([b, none]));
  });

  it('one on its way in hears of what changes meanwhile', async () => {
    const watches = new OpenWatches(NO_BOUNDS);
    const coming = watches.expect();
    await watches.reevaluate(refusal, { objects: ['Pod/ns/a'] });
    const watch = watches.admit(boundWatch('a'), coming);
    const ended = new Promise((resolve) => watch?.endBy(resolve));
    expect(await ended).toMatchObject({ code: 401 });
  });
});

describe('bounds', () => {
  const streamOf = (name: string) => {
    const { authentication, user } = watchOf(name);
    return { authentication, user, request: { ...bareRequest('GET', '/'), verb: 'create' } };
  };
  const openWatch = (name: string) => {
    const { authentication, user } = watchOf(name);
    return { authentication, user, request: { ...bareRequest('GET', '/'), verb: 'watch' } };
  };

  it('are those of watches, and of other streams, each by itself', () => {
    const watches = new OpenWatches({ inAll: 1, perUser: 0 }, { inAll: 3, perUser: 2 });
    expect(watches.admit(openWatch('jane'))).toBeDefined();
    expect(watches.admit(openWatch('joe'))).toBeUndefined();
    const first = watches.admit(streamOf('jane'));
    expect(watches.admit(streamOf('jane'))).toBeDefined();
    expect(watches.admit(streamOf('jane'))).toBeUndefined();
    expect(watches.admit(streamOf('joe'))).toBeDefined();
    expect(watches.admit(streamOf('ann'))).toBeUndefined();
    if (first) watches.release(first);
    expect(watches.admit(streamOf('ann'))).toBeDefined();
  });
});
