import { describe, expect, it } from 'vitest';
import { invalidValue, notFoundValue, VerbatimValue } from './field-error.js';

describe('values in messages', () => {
  it.each<[unknown, string]>([
    ['a"b\\u0001', '"a\\"b\\\\u0001"'],
    ['\u0001\u0007\b\t\n\u000b\f\r\u001f\u007f', '"\\x01\\a\\b\\t\\n\\v\\f\\r\\x1f\\x7f"'],
    [9_007_199_254_740_993n, '9007199254740993'],
    [undefined, '"null"'],
    [new VerbatimValue('core.X{}'), 'core.X{}'],
    [new VerbatimValue('x'.repeat(5_000)), `${'x'.repeat(4_096)}...`],
  ])('%s', (value, shown) => {
    expect(invalidValue('f', value, 'no').message).toBe(`Invalid value: ${shown}: no`);
  });

  it('says what there is instead', () => {
    expect(notFoundValue('f', 'a').message).toBe('Not found: "a"');
    expect(notFoundValue('f', 'a', 'only b').message).toBe('Not found: "a": only b');
  });
});
