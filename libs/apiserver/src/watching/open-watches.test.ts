import { authenticated, type Binding, type ObjectName } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { expect, test } from 'vitest';
import { requestInfo } from '../chain/request-info.js';
import { OpenWatches } from './open-watches.js';

const request = requestInfo('GET', '/api/v1/pods', new URLSearchParams('watch=1'));
const bindingTo = (name: string): Binding => {
  const object: ObjectName = { kind: 'Pod', namespace: 'ns', name };
  return { object, refusal: () => undefined };
};
const watchOf = (...names: string[]) => {
  const user = { name: 'robot', groups: [], extra: {} };
  const authentication = { ...authenticated(user, 'token'), boundTo: names.map(bindingTo) };
  return { authentication, user, request };
};
const refusal = () => new StatusError('Unauthorized', 'Unauthorized');

test('only those are judged again whose credential is bound to what has changed', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const admitted = [['a'], ['b'], ['a', 'b'], []].map((names) => watches.admit(watchOf(...names)));
  const judged: unknown[] = [];
  const judge = (watch: unknown) => {
    judged.push(watch);
    return refusal();
  };
  const [a, b, both, none] = admitted;
  expect(await watches.judgeAgain(judge, ['Pod/ns/c'])).toBe(0);
  expect(await watches.judgeAgain(judge, ['Pod/ns/a', 'Pod/ns/b'])).toBe(3);
  expect(new Set(judged)).toEqual(new Set([a, b, both]));
  expect(judged).toHaveLength(3);
  for (const watch of [a, both]) if (watch) watches.release(watch);
  judged.length = 0;
  await watches.judgeAgain(judge, ['Pod/ns/a', 'Pod/ns/b']);
  expect(judged).toEqual([b]);
  judged.length = 0;
  await watches.judgeAgain(judge);
  expect(new Set(judged)).toEqual(new Set([b, none]));
});

test('one on its way in hears of what changes meanwhile', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const coming = watches.expect();
  await watches.judgeAgain(refusal, ['Pod/ns/a']);
  const watch = watches.admit(watchOf('a'), coming);
  const ended = new Promise((resolve) => watch?.endBy(resolve));
  expect(await ended).toMatchObject({ code: 401 });
});
