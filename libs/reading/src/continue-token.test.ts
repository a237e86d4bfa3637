import { StatusError } from '@orch/machinery';
import { parseVersion, tooLargeVersion } from '@orch/resources';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.js';

const wire = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const codeOf = (token: string): number | undefined => {
  try {
    decodeContinue(token);
    return undefined;
  } catch (error) {
    return error instanceof StatusError ? error.code : 500;
  }
};

describe('continue tokens', () => {
  it('come back as they went', () => {
    const name = fc.string({ minLength: 1, maxLength: 253, unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), name, name, fc.nat(), (version, namespace, at, left) => {
        const continuation = { version, after: { namespace, name: at }, ...(left > 0 && { left }) };
        expect(decodeContinue(encodeContinue(continuation))).toEqual(continuation);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('are safe in a URL', () => {
    expect(encodeContinue({ version: 1n, after: { namespace: 'ÿ>', name: '??~~' } })).toMatch(/^[\w-]+$/);
  });

  it.each([
    ['nothing of ours', 'rubbish'],
    ['an empty object', wire({})],
    ['a number', wire(5)],
    ['null', wire(null)],
    ['another edition', wire({ v: 2, rv: '5', ns: '', name: 'a' })],
    ['a version that is a number', wire({ v: 1, rv: 5, ns: '', name: 'a' })],
    ['a version that is none', wire({ v: 1, rv: '-5', ns: '', name: 'a' })],
    ['a version beyond int64', wire({ v: 1, rv: '9'.repeat(19), ns: '', name: 'a' })],
    ['names that are objects', wire({ v: 1, rv: '5', ns: {}, name: ['a'] })],
    ['a NUL in the name', wire({ v: 1, rv: '5', ns: '', name: 'a\0' })],
    ['a NUL in the namespace', wire({ v: 1, rv: '5', ns: '\0', name: 'a' })],
    ['a count that is none', wire({ v: 1, rv: '5', ns: '', name: 'a', left: '7' })],
    ['a negative count', wire({ v: 1, rv: '5', ns: '', name: 'a', left: -1 })],
    ['a broken count', wire({ v: 1, rv: '5', ns: '', name: 'a', left: 1.5 })],
    ['a name longer than any', wire({ v: 1, rv: '5', ns: '', name: 'a'.repeat(5000) })],
  ])('that hold %s are refused', (_what, token) => {
    expect(codeOf(token)).toBe(400);
  });

  it('of any bytes are read or refused, never more', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect([undefined, 400]).toContain(codeOf(Buffer.from(bytes).toString('base64url')));
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

describe('versions', () => {
  it.each(['', '0', '01', '+1', '1 ', ' 1', '1n', '0x1', '1e3', '١', '9223372036854775808', '1'.repeat(30)])(
    '%j is none that a server could have issued',
    (text) => {
      expect(() => parseVersion(text)).toThrow(StatusError);
    },
  );

  it.each(['1', '42', '9223372036854775807'])('%s is one', (text) => {
    expect(parseVersion(text)).toBe(BigInt(text));
  });

  it('beyond the newest are 504 with the cause that clients look for', () => {
    expect(tooLargeVersion(9n, 5n).status).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: Too large resource version: 9, current: 5',
      details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  });
});
