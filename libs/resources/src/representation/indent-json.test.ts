import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indentJson } from './indent-json.js';

const MOST = 1 << 20;
const indented = async (text: string, most = MOST) => (await indentJson(Buffer.from(text), most))?.toString();

it('indents any JSON as it stands in release 1.27 (property)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (text) => {
      // Members whose names are numbers are moved by whoever parses.
      const value: unknown = JSON.parse(text);
      expect(JSON.parse((await indented(text)) ?? '')).toEqual(value);
      const compact = JSON.stringify(value);
      expect(await indented(compact)).toBe(JSON.stringify(value, undefined, 2));
    }),
    { seed: 20261127, numRuns: 500 },
  );
});

it('leaves numbers, escapes and the order of members as they are', async () => {
  const text = '{"10":1.50,"2":9007199254740993,"b":"\\u0026 \\\\\\" ü {,}","a":{},"l":[ ],"n":[1, 2 ]}';
  expect(await indented(text)).toBe(
    '{\n  "10": 1.50,\n  "2": 9007199254740993,\n  "b": "\\u0026 \\\\\\" ü {,}",\n  "a": {},\n  "l": [],\n  "n": [\n    1,\n    2\n  ]\n}',
  );
});

it('gives up what would be indented by too much', async () => {
  const deep = `${'['.repeat(10)}0${']'.repeat(10)}`;
  // Each level but the outermost twice, and the innermost value.
  const bytes = 2 * (2 * 45 + 10);
  expect(await indented(deep, bytes - 1)).toBeUndefined();
  expect(await indented(deep, bytes)).toBe(JSON.stringify(JSON.parse(deep), undefined, 2));
});
