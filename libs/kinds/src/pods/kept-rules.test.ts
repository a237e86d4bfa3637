import { describe, expect, it } from 'vitest';
import { type Changes, stepRefusals } from '../testing/judged-pods.js';

describe('what later rules refuse and a stored pod has', () => {
  it.each<[Changes, Changes, string[]]>([
    [
      {
        'spec.topologySpreadConstraints': [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x y'] }] },
          },
        ],
      },
      { 'spec.containers.0.image': 'b:2' },
      [],
    ],
    [
      {
        'spec.affinity': {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: 'z',
                labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x y'] }] },
              },
            ],
          },
        },
      },
      { 'spec.containers.0.image': 'b:2' },
      [],
    ],
    [
      { 'spec.containers.0.resources': { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } },
      { 'spec.containers.0.image': 'b:2' },
      [],
    ],
  ])('%j: %j', (before, after, causes) => {
    expect(stepRefusals('', before, after)).toEqual(causes);
  });
});
