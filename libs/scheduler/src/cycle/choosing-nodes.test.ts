import { podInfoOf } from '@orch/scheduler-plugins';
import { expect, it } from 'vitest';
import { stateOf } from '../testing/explain.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { profilesOf } from '../testing/profiles.js';
import { seeded } from '../testing/seeded.js';
import { FilterEvaluation } from './filter-evaluation.js';
import { NodeFinder } from './find-nodes.js';
import { pickNode } from './score-nodes.js';

const [profile] = profilesOf();

/** A cluster of so many nodes, in zones by turns, and what finds nodes there. */
function finding(nodes: number, zones = 1) {
  const cluster = new FakeCluster();
  for (let at = 0; at < nodes; at++)
    cluster.node(`n${at}`, { labels: { 'topology.kubernetes.io/zone': `z${Math.floor((at * zones) / nodes)}` } });
  const state = stateOf(cluster);
  const finder = new NodeFinder(state);
  const find = async (nominatedNodeName?: string, percentage = 0) => {
    const pod = podInfoOf({ metadata: { name: 'p' }, status: { ...(nominatedNodeName && { nominatedNodeName }) } });
    const evaluation = FilterEvaluation.prepare(pod, profile?.filters ?? [], state, () => undefined);
    if ('reasons' in evaluation) throw new Error(evaluation.reasons.join());
    return (await finder.find(evaluation, percentage)).feasible.map(({ name }) => name);
  };
  return { state, find };
}

it('searches end when enough is found, and begin where the one before has ended', async () => {
  const { find } = finding(250);
  const [first, second, third] = [await find(), await find(), await find()];
  expect([first.length, second.length, third.length]).toEqual([120, 120, 120]);
  expect(second[0]).toBe('n120');
  expect(third[0]).toBe('n240');
  expect(third[10]).toBe('n0');
  expect(new Set([...first, ...second, ...third]).size).toBe(250);
});

it('searches take the zones by turns', async () => {
  const { find } = finding(300, 3);
  const found = await find(undefined, 1);
  expect(found.length).toBe(100);
  const zones = found.map((name) => Math.floor(Number(name.slice(1)) / 100));
  for (const zone of [0, 1, 2]) expect(zones.filter((each) => each === zone).length).toBeGreaterThan(32);
});

it('the node that a pod is nominated for is looked at alone, if it is one that the pod can be on', async () => {
  const { find } = finding(5);
  expect(await find('n3')).toEqual(['n3']);
  expect((await find('gone')).length).toBe(5);
});

it('of the best nodes each is chosen as often as another', () => {
  const { state } = finding(4);
  const random = seeded(7);
  const chosen: Record<string, number> = {};
  for (let at = 0; at < 3_000; at++) {
    const { name } = pickNode(state.nodes, [5, 9, 9, 9], random);
    chosen[name] = (chosen[name] ?? 0) + 1;
  }
  expect(Object.keys(chosen).sort()).toEqual(['n1', 'n2', 'n3']);
  for (const times of Object.values(chosen)) expect(Math.abs(times - 1_000)).toBeLessThan(120);
});
