import { describe, expect, it } from 'vitest';
import { testPod } from '../testing/doubles.js';
import { victimsFor } from './preemption.js';

/** A pod of the class Guaranteed. */
function guaranteed(name: string, memory: string) {
  const amounts = { memory, cpu: '1' };
  const resources = { requests: amounts, limits: amounts };
  return testPod(name, undefined, { containers: [{ name: 'c', image: 'i', resources }] });
}

describe('victimsFor', () => {
  const pods = [testPod('best'), testPod('small', '1k'), testPod('large', '3k'), guaranteed('kept', '9k')];
  const names = (missing: Record<string, bigint>) =>
    victimsFor(pods, new Map(Object.entries(missing)))?.map(({ metadata }) => metadata?.name);

  it('takes the smallest pod that frees enough, of the lowest class that can', () => {
    expect(names({ memory: 500n })).toEqual(['small']);
    expect(names({ memory: 2_000n })).toEqual(['large']);
    expect(names({ memory: 4_000n })).toEqual(['large', 'small']);
    expect(names({ pods: 1n })).toEqual(['best']);
  });

  it('takes from the best class only what the others do not have', () => {
    expect(names({ memory: 5_000n })).toEqual(['kept']);
    expect(names({ memory: 12_500n })).toEqual(['large', 'small', 'kept']);
  });

  it('takes none where all together free too little', () => {
    expect(names({ memory: 14_000n })).toBeUndefined();
    expect(names({ cpu: 1_001n })).toBeUndefined();
  });
});
