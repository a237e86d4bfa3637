import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals, VALUE_FORM } from '../testing/judged-pods.js';

describe('tolerations', () => {
  it.each<[Changes]>([
    [
      {
        'spec.tolerations': [
          { operator: 'Exists' },
          { key: 'a', value: 'v', effect: 'NoExecute', tolerationSeconds: 0 },
          { key: 'a', operator: 'Equal', effect: 'PreferNoSchedule' },
        ],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.tolerations': [
          {},
          { key: 'a b', operator: 'Exists', value: 'v' },
          { key: 'a', operator: 'Is', effect: 'Never' },
          { key: 'a', value: 'x y' },
          { key: 'a', tolerationSeconds: 5, effect: 'NoSchedule' },
          { operator: 'Exists', tolerationSeconds: 5, value: 'v' },
        ],
      },
      [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        `spec.tolerations[1].key: Invalid value: "a b": ${KEY_FORM}`,
        'spec.tolerations[1].operator: Invalid value: core.Toleration{Key:"a b", Operator:"Exists", Value:"v", Effect:"", TolerationSeconds:(*int64)(nil)}: value must be empty when `operator` is \'Exists\'',
        'spec.tolerations[2].operator: Unsupported value: "Is": supported values: "Equal", "Exists"',
        'spec.tolerations[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        `spec.tolerations[3].operator: Invalid value: "x y": ${VALUE_FORM}`,
        'spec.tolerations[4].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        'spec.tolerations[5].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        'spec.tolerations[5].operator: Invalid value: core.Toleration{Key:"", Operator:"Exists", Value:"v", Effect:"", TolerationSeconds:(*int64)(0xc000000000)}: value must be empty when `operator` is \'Exists\'',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
