import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, LABEL_FORM, refusals, SUBDOMAIN_FORM, VALUE_FORM } from '../testing/judged-pods.js';

describe('affinity', () => {
  it.each<[Changes]>([
    [
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {},
                {
                  matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x y'] }],
                  matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
                },
              ],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: {} }],
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 1,
                podAffinityTerm: {
                  topologyKey: 'example.com/zone',
                  namespaces: ['n'],
                  namespaceSelector: {},
                  labelSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
                },
              },
            ],
          },
        },
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.affinity': {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    ],
    [
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'a b', operator: 'Is' },
                    { key: 'a', operator: 'In' },
                    { key: 'a', operator: 'Exists', values: ['x'] },
                    { key: 'a', operator: 'Gt', values: ['1', '2'] },
                    {},
                  ],
                  matchFields: [
                    { key: 'metadata.name', operator: 'In', values: ['A', 'b'] },
                    { key: 'metadata.uid', operator: 'Exists' },
                    { key: 'metadata.name', operator: 'NotIn', values: ['A'] },
                  ],
                },
              ],
            },
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "a b": ${KEY_FORM}`,
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[4].operator: Invalid value: "": not a valid selector operator',
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[4].key: Invalid value: "": name part must be non-empty',
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[4].key: Invalid value: "": ${KEY_FORM}`,
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values[0]: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[1].operator: Invalid value: "Exists": not a valid selector operator',
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[1].key: Invalid value: "metadata.uid": not a valid field selector key',
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[2].values[0]: Invalid value: "A": ${SUBDOMAIN_FORM}`,
      ],
    ],
    [
      {
        'spec.affinity': {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'NotIn' }] } },
              { weight: 101, preference: {} },
            ],
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].weight: Invalid value: 101: must be in the range 1-100',
      ],
    ],
    [
      {
        'spec.affinity': {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {},
              {
                topologyKey: 'a b',
                namespaces: ['A'],
                labelSelector: {
                  matchLabels: { 'a b': 'c d' },
                  matchExpressions: [
                    { key: 'a', operator: 'In', values: ['x y'] },
                    { key: 'a', operator: 'Exists', values: ['x'] },
                  ],
                },
                namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] },
              },
            ],
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: '' } }],
          },
        },
      },
      [
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": ${KEY_FORM}`,
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector.matchLabels: Invalid value: "a b": ${KEY_FORM}`,
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector.matchLabels: Invalid value: "c d": ${VALUE_FORM}`,
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector.matchExpressions[0].values[0]: Invalid value: "x y": ${VALUE_FORM}`,
        "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].namespaceSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].namespace: Invalid value: "A": ${LABEL_FORM}`,
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].topologyKey: Invalid value: "a b": ${KEY_FORM}`,
        'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
        'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Required value: can not be empty',
        'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
        `spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "": ${KEY_FORM}`,
      ],
    ],
    [
      {
        'spec.affinity': {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{}],
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: -1,
                podAffinityTerm: {
                  topologyKey: 'zone',
                  labelSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn' }] },
                },
              },
            ],
          },
        },
      },
      [
        'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
        'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
        `spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": ${KEY_FORM}`,
        'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: -1: must be in the range 1-100',
        "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
