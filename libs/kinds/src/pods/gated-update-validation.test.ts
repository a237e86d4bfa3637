import { describe, expect, it } from 'vitest';
import { type Changes, stepRefusals } from '../testing/judged-pods.js';

describe('an update of a pod that is held back', () => {
  it.each<[Changes, Changes, string[]]>([
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }], 'spec.nodeSelector': { a: 'b' } },
      { 'spec.nodeSelector': { a: 'b', c: 'd' } },
      [],
    ],
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }], 'spec.nodeSelector': { a: 'b' } },
      { 'spec.nodeSelector': { a: 'c' } },
      [
        'spec.nodeSelector: Invalid value: map[string]string{"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }], 'spec.nodeSelector': { a: 'b' } },
      { 'spec.nodeSelector': undefined },
      [
        'spec.nodeSelector: Invalid value: map[string]string(nil): only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }] },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      [],
    ],
    [
      {
        'spec.schedulingGates': [{ name: 'a.b/c' }],
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'a', operator: 'Exists' },
                    { key: 'b', operator: 'Exists' },
                  ],
                },
              ],
            },
          },
        },
      },
      [],
    ],
    [
      {
        'spec.schedulingGates': [{ name: 'a.b/c' }],
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'b', operator: 'Exists' }] }],
            },
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement{core.NodeSelectorRequirement{Key:"b", Operator:"Exists", Values:[]string(nil)}}, MatchFields:[]core.NodeSelectorRequirement(nil)}: only additions are allowed (no mutations or deletions)',
      ],
    ],
    [
      {
        'spec.schedulingGates': [{ name: 'a.b/c' }],
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
                { matchExpressions: [{ key: 'b', operator: 'Exists' }] },
              ],
            },
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: []core.NodeSelectorTerm{core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement{core.NodeSelectorRequirement{Key:"a", Operator:"Exists", Values:[]string(nil)}}, MatchFields:[]core.NodeSelectorRequirement(nil)}, core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement{core.NodeSelectorRequirement{Key:"b", Operator:"Exists", Values:[]string(nil)}}, MatchFields:[]core.NodeSelectorRequirement(nil)}}: no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ],
    ],
    [
      {
        'spec.schedulingGates': [{ name: 'a.b/c' }],
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      { 'spec.affinity': undefined },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: []core.NodeSelectorTerm(nil): no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ],
    ],
    [
      {
        'spec.schedulingGates': [{ name: 'a.b/c' }],
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] },
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement{core.NodeSelectorRequirement{Key:"a", Operator:"Exists", Values:[]string(nil)}}, MatchFields:[]core.NodeSelectorRequirement(nil)}: only additions are allowed (no mutations or deletions)',
      ],
    ],
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }] },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
          podAffinity: {},
        },
      },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: affinity',
      ],
    ],
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }] },
      { 'spec.affinity': {} },
      [expect.stringContaining('changed: affinity') as never],
    ],
  ])('%j: %j', (before, after, causes) => {
    expect(stepRefusals('', before, after)).toEqual(causes);
  });
});
