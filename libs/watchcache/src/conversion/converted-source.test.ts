import { MemorySource } from '@orch/feed/testing';
import { expect, it } from 'vitest';
import type { BodyConversion, StoredBody } from './body-conversion.js';
import { ConvertedSource } from './converted-source.js';

const TYPE = 1;
const key = { namespace: 'a', name: 'o' };

/** Changes of one object through a conversion that makes 2 of 1, and fails for some; and the bodies that it was asked for. */
async function converted(after: bigint, fails: (text: string) => boolean = () => false) {
  const source = new MemorySource();
  for (const text of ['1a', '1b', '1c']) source.write(TYPE, 'put', key, Buffer.from(text));
  const asked: string[] = [];
  const conversion: BodyConversion = {
    ...{ key: 'v2', version: 'v2', defaults: 4 },
    convert: async (_type: number, bodies: readonly StoredBody[]) =>
      bodies.map(({ body }) => {
        const text = body.toString();
        asked.push(text);
        return fails(text) ? new Error(`no ${text}`) : Buffer.from(text.replace('1', '2'));
      }),
  };
  const changes = await new ConvertedSource(source, conversion).changes(TYPE, after, 10);
  return { asked, changes };
}

it('a state that one change leaves and the next finds is converted once, and stays one', async () => {
  const { asked, changes } = await converted(1n);
  expect(asked).toEqual(['1a', '1b', '1c']);
  expect(changes.map(({ prior, body }) => [prior?.toString(), body.toString()])).toEqual([
    ['2a', '2b'],
    ['2b', '2c'],
  ]);
  expect(changes[1]?.prior).toBe(changes[0]?.body);
  expect(changes[1]).toMatchObject({ storedVersion: 'v2', priorStoredVersion: 'v2', priorDefaults: 4, defaults: 4 });
});

it('a state that cannot be converted is told of as the one after and as the one before', async () => {
  const { changes } = await converted(0n, (text) => text === '1b');
  expect(changes.map(({ failure, priorFailure }) => [failure?.message, priorFailure?.message])).toEqual([
    [undefined, undefined],
    ['no 1b', undefined],
    [undefined, 'no 1b'],
  ]);
});
