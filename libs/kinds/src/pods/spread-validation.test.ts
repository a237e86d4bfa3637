import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals } from '../testing/judged-pods.js';

describe('spread', () => {
  it.each<[Changes]>([
    [
      {
        'spec.topologySpreadConstraints': [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            minDomains: 2,
            nodeAffinityPolicy: 'Honor',
            nodeTaintsPolicy: 'Ignore',
            matchLabelKeys: ['b'],
            labelSelector: { matchLabels: { a: 'x' } },
          },
          { maxSkew: 5, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { 'spec.topologySpreadConstraints': [{}] },
      [
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
      ],
    ],
    [
      {
        'spec.topologySpreadConstraints': [
          {
            maxSkew: -1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'Never',
            minDomains: 0,
            nodeAffinityPolicy: 'Maybe',
            nodeTaintsPolicy: '',
          },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: -1: must be greater than zero',
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"',
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not Never',
        'spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: "Maybe": supported values: "Honor", "Ignore"',
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
      ],
    ],
    [
      {
        'spec.topologySpreadConstraints': [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
          { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 },
          { maxSkew: 3, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, ScheduleAnyway}"',
        'spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, ScheduleAnyway}"',
        'spec.topologySpreadConstraints[1].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    ],
    [
      {
        'spec.topologySpreadConstraints': [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['a b', 'c'] },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
        `spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a b": ${KEY_FORM}`,
      ],
    ],
    [
      {
        'spec.topologySpreadConstraints': [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            matchLabelKeys: ['a', 'b'],
            labelSelector: { matchLabels: { a: 'x' }, matchExpressions: [{ key: 'b', operator: 'In' }] },
          },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
        'spec.topologySpreadConstraints[0].matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and labelSelector',
        "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
