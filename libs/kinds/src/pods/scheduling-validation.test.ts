import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals } from '../testing/judged-pods.js';

describe('gates', () => {
  it.each<[Changes]>([
    [
      {
        'spec.schedulingGates': [{ name: 'example.com/a' }, { name: 'b' }],
        'spec.readinessGates': [{ conditionType: 'example.com/a' }],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.readinessGates': [{ conditionType: 'a b' }, {}],
        'spec.schedulingGates': [{ name: 'g' }, { name: 'g' }, { name: 'a b' }],
      },
      [
        `spec.readinessGates[0].conditionType: Invalid value: "a b": ${KEY_FORM}`,
        'spec.readinessGates[1].conditionType: Invalid value: "": name part must be non-empty',
        `spec.readinessGates[1].conditionType: Invalid value: "": ${KEY_FORM}`,
        'spec.schedulingGates[1]: Duplicate value: "g"',
        `spec.schedulingGates[2]: Invalid value: "a b": ${KEY_FORM}`,
      ],
    ],
    [
      { 'spec.schedulingGates': [{ name: 'example.com/g' }], 'spec.nodeName': 'n' },
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
