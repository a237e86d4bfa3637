import { describe, expect, it } from 'vitest';
import type { CountsByNode } from '../../framework/cluster-view.js';
import { NodeInfo } from '../../framework/node-info.js';
import { PlaceCounts } from './place-counts.js';

/** Sums that count how often they are looked at. */
class Sums extends Map<string, number> {
  static looks = 0;

  override get(value: string): number | undefined {
    Sums.looks++;
    return super.get(value);
  }
}

const countsOf = (sums: Readonly<Record<string, number>>) =>
  ({ sums: () => new Sums(Object.entries(sums)) }) as unknown as CountsByNode;

function nodeIn(zone: string): NodeInfo {
  const node = new NodeInfo(zone);
  node.setNode({ metadata: { name: zone, labels: { zone } } });
  return node;
}

describe('numbers by place', () => {
  it('are sums of all that was added, and of changes of a copy', () => {
    const counts = PlaceCounts.none();
    counts.addAll('zone', countsOf({ a: 1, b: 2 }));
    counts.addAll('zone', countsOf({ b: 3, c: 1 }), -2);
    counts.addAll('rack', countsOf({ r: 1 }));
    const fork = counts.fork();
    fork.add('zone', nodeIn('a'), 5);
    fork.addAll('zone', countsOf({ a: 10 }));
    const numbers = (of: PlaceCounts) => ['a', 'b', 'c', 'd'].map((zone) => of.of('zone', nodeIn(zone)));
    expect([numbers(counts), numbers(fork), counts.keys]).toEqual([
      [1, -4, -2, 0],
      [16, -4, -2, 0],
      ['zone', 'rack'],
    ]);
    counts.addAll('zone', countsOf({ a: 1 }));
    expect([numbers(counts)[0], numbers(fork)[0]]).toEqual([2, 16]);
  });

  it('are empty where all that was added is 0 in sum', () => {
    const counts = PlaceCounts.none();
    counts.addAll('zone', countsOf({ a: 2 }));
    expect(counts.isEmpty).toBe(false);
    counts.addAll('zone', countsOf({ a: 2 }), -1);
    expect(counts.isEmpty).toBe(true);
  });

  it('of thousands of terms cost a node as much as those of one', () => {
    const counts = PlaceCounts.none();
    for (let at = 0; at < 1_000; at++) counts.addAll('zone', countsOf({ a: 1 }));
    Sums.looks = 0;
    expect(counts.of('zone', nodeIn('a'))).toBe(1_000);
    expect(Sums.looks).toBeLessThanOrEqual(1);
  });
});
