import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

const container = { name: 'c', image: 'nginx' };
const job = triedKind('batch', 'v1', 'jobs', {
  spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
});
const rules = (...rules: object[]): Changes => ({ 'spec.podFailurePolicy': { rules } });
const codes = (onExitCodes: object): Changes => rules({ action: 'FailJob', onExitCodes });
const RULES = 'spec.podFailurePolicy.rules';

describe('a job', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [codes({ operator: 'In', values: [1, 2], containerName: 'c' }), []],
    [rules({ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }), []],
    [
      rules({}, { action: 'Odd', onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'a' }] }),
      [
        `${RULES}[0].action: Required value: valid values: ["Count" "FailJob" "Ignore"]`,
        `${RULES}[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
        `${RULES}[1].action: Unsupported value: "Odd": supported values: "Count", "FailJob", "Ignore"`,
        `${RULES}[1]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
      ],
    ],
    [
      codes({ operator: 'In', values: [2, 0, 2], containerName: 'd' }),
      [
        'containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template',
        'values[1]: Invalid value: 0: must not be 0 for the In operator',
        'values[2]: Duplicate value: 2',
        'values: Invalid value: []int32{2, 0, 2}: must be ordered',
      ].map((text) => `${RULES}[0].onExitCodes.${text}`),
    ],
    [
      codes({ operator: 'Is', values: [] }),
      [
        `${RULES}[0].onExitCodes.operator: Unsupported value: "Is": supported values: "In", "NotIn"`,
        `${RULES}[0].onExitCodes.values: Invalid value: []int32{}: at least one value is required`,
      ],
    ],
    [
      rules({ action: 'Count', onPodConditions: [{ type: 'a b', status: 'Maybe' }] }),
      [
        expect.stringMatching(/onPodConditions\[0\]\.type: Invalid value: "a b": name part must consist/) as never,
        `${RULES}[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"`,
      ],
    ],
    [
      {
        'spec.podFailurePolicy': {
          rules: Array.from({ length: 21 }, () => ({ action: 'Count', onPodConditions: [{ type: 'a' }] })),
        },
      },
      [`${RULES}: Too many: 21: must have at most 20 items`],
    ],
    [
      { 'metadata.name': 'x'.repeat(63), 'spec.completionMode': 'Indexed', 'spec.completions': 1 },
      [
        `metadata.name: Invalid value: "${'x'.repeat(63)}": will not able to create pod with invalid DNS label: ${'x'.repeat(63)}-0`,
      ],
    ],
    [
      { 'spec.template.metadata.labels': { 'job-name': 'other' } },
      [
        expect.stringMatching(
          /^spec\.template\.metadata\.labels\[job-name\]: Invalid value: map\[string\]string\{.*\}: must be 'a'$/,
        ) as never,
      ],
    ],
    [
      { 'spec.selector': { matchLabels: { other: '1' } }, 'spec.template.metadata.labels': { other: '1' } },
      [expect.stringMatching(/^spec\.selector: Invalid value: .*: `selector` not auto-generated$/) as never],
    ],
  ])('%j', (changes, expected) => {
    expect(job.created(changes)).toEqual(expected);
  });

  it('reports pods each once', () => {
    const status = { active: -1, uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } };
    expect(job.updated({}, { status }, 'status')).toEqual([
      'status.active: Invalid value: -1: must be greater than or equal to 0',
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ]);
  });
});
