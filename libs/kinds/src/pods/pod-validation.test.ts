import { describe, expect, it } from 'vitest';
import { validateContainers } from './pod-validation.js';

const fields = (spec: unknown) => validateContainers(spec, 'spec').map(({ field }) => field);

describe('validateContainers', () => {
  it('wants containers', () => {
    for (const spec of [undefined, {}, { containers: [] }, { initContainers: [{ name: 'a', image: 'b' }] }]) {
      expect(fields(spec)).toEqual(['spec.containers']);
    }
    expect(fields({ containers: [{ name: 'a', image: 'b' }] })).toEqual([]);
  });

  it('wants a name and an image of every container of every sort', () => {
    const spec = { initContainers: [{ name: 'a' }], containers: [{ image: 'b' }], ephemeralContainers: [{}] };
    expect(fields(spec)).toEqual([
      'spec.initContainers[0].image',
      'spec.containers[0].name',
      'spec.ephemeralContainers[0].name',
      'spec.ephemeralContainers[0].image',
    ]);
  });
});
