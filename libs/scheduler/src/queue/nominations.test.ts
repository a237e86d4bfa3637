import { podInfoOf } from '@orch/scheduler-plugins';
import { beforeEach, expect, it } from 'vitest';
import { Nominations } from './nominations.js';

let freed: number;
let nominations: Nominations;

beforeEach(() => {
  freed = 0;
  nominations = new Nominations(() => freed++);
});

const pod = (uid: string, nominatedNodeName = '') =>
  podInfoOf({ metadata: { uid, name: uid }, status: { ...(nominatedNodeName && { nominatedNodeName }) } });
const on = (node: string) => [...(nominations.on(node) ?? [])].map(({ uid }) => uid);

it('are for one node each, and the last one counts', () => {
  nominations.set(pod('p'), 'a');
  nominations.set(pod('q'), 'a');
  nominations.set(pod('p'), 'b');
  expect([on('a'), on('b'), nominations.nodeOf('p')]).toEqual([['q'], ['p'], 'b']);
  nominations.delete('p');
  expect([on('b'), nominations.nodeOf('p')]).toEqual([[], undefined]);
});

it.each([
  ['keeps one that the API has not shown yet', '', '', 'a'],
  ['takes the one that the API shows', '', 'b', 'b'],
  ['ends with the one that the API has shown', 'a', '', undefined],
])('a new state of a pod %s', (_what, before, named, expected) => {
  nominations.set(pod('p'), 'a');
  nominations.update(before, pod('p', named));
  expect(nominations.nodeOf('p')).toBe(expected);
});

it('follow the newest state of a pod', () => {
  nominations.set(pod('p'), 'a');
  const newer = pod('p', 'a');
  nominations.update('', newer);
  expect([...(nominations.on('a') ?? [])]).toEqual([newer]);
});

it.each<[string, () => void, number]>([
  ['deleted', () => nominations.delete('p'), 1],
  ['nominated for another node', () => nominations.set(pod('p'), 'b'), 1],
  ['no longer nominated by the API', () => nominations.update('a', pod('p')), 1],
  ['placed on another node', () => nominations.placed('p', 'b'), 1],
  ['placed on its node', () => nominations.placed('p', 'a'), 0],
  ['nominated again', () => nominations.set(pod('p'), 'a'), 0],
  ['not the one', () => nominations.delete('q'), 0],
])('tell that a node has room again where the pod is %s', (_what, change, times) => {
  nominations.set(pod('p'), 'a');
  change();
  expect(freed).toBe(times);
});
