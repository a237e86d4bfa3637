import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copy } from './copy.js';

const SEED = 11;

describe('copy', () => {
  it('equals what it was made from and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const made = copy(value);
        expect(made).toEqual(value);
        if (typeof value === 'object' && value !== null) expect(made).not.toBe(value);
      }),
      { seed: SEED },
    );
  });

  it('leaves prototypes alone', () => {
    const made = copy(JSON.parse('{"__proto__":{"polluted":true}}') as object);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(made).not.toHaveProperty('polluted');
    expect(Object.getOwnPropertyDescriptor(made, '__proto__')).toMatchObject({ writable: true, configurable: true });
  });
});
