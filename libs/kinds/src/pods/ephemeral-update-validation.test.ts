import { describe, expect, it } from 'vitest';
import { type Changes, stepRefusals, steps } from '../testing/judged-pods.js';

describe('ephemeral containers that come later', () => {
  it.each<[Changes, Changes, string[]]>([
    [{}, { 'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }] }, []],
    [
      {},
      { 'spec.ephemeralContainers': [{ name: 'c', image: 'i:1' }] },
      ['spec.ephemeralContainers[0].name: Duplicate value: "c"'],
    ],
    [
      {},
      {
        'spec.ephemeralContainers': [
          { name: 'e', image: 'i:1', targetContainerName: 'x', ports: [{ containerPort: 80 }] },
        ],
      },
      [
        'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      ],
    ],
    [
      { 'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }] },
      { 'spec.ephemeralContainers': [] },
      ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n'],
    ],
    [
      { 'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }] },
      {
        'spec.ephemeralContainers': [
          { name: 'f', image: 'i:1' },
          { name: 'e', image: 'j:1' },
        ],
      },
      ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n'],
    ],
    [
      { 'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }] },
      {
        'spec.ephemeralContainers': [
          { name: 'f', image: 'i:1' },
          { name: 'e', image: 'i:1' },
        ],
      },
      [],
    ],
    [
      { 'spec.nodeName': 'n', 'metadata.annotations': { 'kubernetes.io/config.mirror': 'x' } },
      { 'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }] },
      ['[]: Forbidden: static pods do not support ephemeral containers'],
    ],
  ])('%j: %j', (before, after, causes) => {
    expect(stepRefusals('ephemeralcontainers', before, after)).toEqual(causes);
  });
});

it('changes nothing else of the pod on the way', () => {
  const [, object] = steps(
    'ephemeralcontainers',
    { 'metadata.labels': { a: 'b' } },
    {
      'metadata.labels': { a: 'c' },
      'metadata.resourceVersion': '5',
      'spec.hostname': 'h',
      'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }],
    },
  );
  expect(object.metadata).toMatchObject({ labels: { a: 'b' }, resourceVersion: '5' });
  expect(object.spec).not.toHaveProperty('hostname');
  expect(object.spec).toMatchObject({ ephemeralContainers: [{ name: 'e' }] });
});
