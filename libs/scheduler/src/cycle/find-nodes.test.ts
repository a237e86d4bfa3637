import { haveVectors, sharedVectors } from '@orch/machinery/testing';
import { describe, expect, it } from 'vitest';
import { nodesToFind } from './find-nodes.js';

interface Vector {
  readonly id: string;
  readonly nodes: number;
  readonly percentageOfNodesToScore: number;
  readonly lookedAt: number;
}

describe.skipIf(!haveVectors)('the number of nodes that are looked for', () => {
  it.each(sharedVectors<Vector>('scheduler-vectors.jsonl', 'nodes-to-find'))(
    'is as in $id',
    ({ nodes, percentageOfNodesToScore, lookedAt }) => {
      expect(nodesToFind(nodes, percentageOfNodesToScore)).toBe(lookedAt);
    },
  );
});
