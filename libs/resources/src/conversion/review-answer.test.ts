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
const UNLIMITED = { maxValues: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };
/** As many objects as an answer has were sent. */
function sentFor(text: string | Buffer): number {
  const { response } = (whole(text) ?? {}) as { response?: { convertedObjects?: unknown } | null };
  return Array.isArray(response?.convertedObjects) ? response.convertedObjects.length : 1;
}
const inParts = async (text: string | Buffer, objects = sentFor(text)): Promise<unknown> => {
  try {
    return await readAnswer(Buffer.from(text), { objects, ...UNLIMITED });
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

  const SENT = 4;
  const numberIn = (read: unknown): number | undefined =>
    (read as { response?: { convertedObjects?: unknown[] } }).response?.convertedObjects?.length;

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
        const [parts, all] = [await inParts(text, SENT), whole(text)];
        // Of another number of objects none is read.
        if (numberIn(parts) !== SENT && numberIn(parts) !== undefined) return;
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

/** The most that there was to do within one turn while an answer was read, milliseconds: whoever else uses the machine is not counted. */
async function held(text: string): Promise<{ ms: number; error: unknown }> {
  const body = Buffer.from(text);
  const used = (): number => process.cpuUsage().user / 1000;
  let [ms, last, done] = [0, used(), false];
  const turn = (): void => {
    const now = used();
    [ms, last] = [Math.max(ms, now - last), now];
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const error = await readAnswer(body, { objects: 1, maxValues: 70_000, maxBytes: 6 << 20 }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  done = true;
  turn();
  return { ms, error };
}

const MIB = 1 << 20;
const filled = (item: string, bytes: number): string =>
  Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join();
it.each([
  ['an object of many values', `{"response":{"convertedObjects":[{"a":[${filled('{}', 6 * MIB)}]}]}}`],
  ['many objects of one value', `{"response":{"convertedObjects":[${filled('{}', 6 * MIB)}]}}`],
  ['no list of objects', `{"response":{"others":[${filled('{}', 6 * MIB)}]}}`],
  ['values around the objects', `{"response":{"convertedObjects":[]},"a":[${filled('{}', 6 * MIB)}]}`],
  ['an open list', `{"response":{"convertedObjects":[${'['.repeat(6 * MIB)}`],
  ['a text that does not end', `{"response":{"convertedObjects":["${'x'.repeat(15 * MIB)}`],
])('is read in short steps, or not at all: %s', async (_name, text) => {
  const tries = [await held(text), await held(text), await held(text)];
  expect(Math.min(...tries.map(({ ms }) => ms))).toBeLessThan(150);
});

it('tells how many objects there are where they are not those that were sent', async () => {
  const answer = Buffer.from('{"kind":"R","response":{"uid":"u","convertedObjects":[{},{},{}]}}');
  const read = (await readAnswer(answer, { objects: 2, maxValues: 10, maxBytes: 100 })) as {
    response: { convertedObjects: unknown[] };
  };
  expect(read).toMatchObject({ kind: 'R', response: { uid: 'u' } });
  expect(read.response.convertedObjects).toHaveLength(3);
});
