import { parseJson } from '@orch/codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './review-answer.js';

const whole = (text: string | Buffer): unknown => {
  try {
    return parseJson(Buffer.from(text)).value;
  } catch (error) {
    return `${error}`;
  }
};
const inParts = async (text: string | Buffer): Promise<unknown> => {
  try {
    return await readAnswer(Buffer.from(text));
  } catch (error) {
    return `${error}`;
  }
};

describe('an answer that is read in parts', () => {
  it('says what it says as a whole', async () => {
    const review = fc.record({
      kind: fc.string(),
      response: fc.oneof(
        fc.jsonValue(),
        fc.record({
          uid: fc.string(),
          convertedObjects: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())),
          result: fc.jsonValue(),
        }),
      ),
      other: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(review, fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(await inParts(text)).toEqual(whole(text));
      }),
      { seed: 20261123, numRuns: 500 },
    );
  });

  it('and nothing else, however it was spoilt', async () => {
    const good = JSON.stringify(
      { kind: 'R', response: { convertedObjects: [{ a: ['x"}]', 1] }, 'b', 2, null] } },
      null,
      1,
    );
    const spoilt = fc.tuple(
      fc.nat(good.length - 1),
      fc.constantFrom('', ',', '"', '\\', '{', '}', '[', ']', ':', ' ', '1'),
    );
    await fc.assert(
      fc.asyncProperty(spoilt, fc.boolean(), async ([at, put], replace) => {
        const text = good.slice(0, at) + put + good.slice(at + (replace ? 1 : 0));
        const [parts, all] = [await inParts(text), whole(text)];
        // Where an error is told of may be counted from another place.
        if (typeof all === 'string') expect(typeof parts).toBe('string');
        else expect(parts).toEqual(all);
      }),
      { seed: 20261123, numRuns: 2000 },
    );
  });

  it.each([
    '{"response":{"convertedObjects":[1]},"response":{"convertedObjects":[2]}}',
    '{"response":{"convertedObjects":[1],"convertedObjects":[2]}}',
    '{"response":{"converted\\u004fbjects":[1]}}',
    '{"response":{"convertedObjects":[]}}',
    '{"response":{"convertedObjects":[1,]}}',
    '{"response":{"convertedObjects":[1 2]}}',
    '{"response":{"convertedObjects":{"a":1}}}',
    '{"response":[]}',
    '[]',
    '',
  ])('also where it is odd: %s', async (text) => {
    expect(await inParts(text)).toEqual(whole(text));
  });
});
