import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@orch/codec';
import type { ApiObject, JsonValue } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import type { Cell } from '../rules/kind-rules.js';
import { vectorsOf } from '../testing/vectors.js';
import { JsonPathError, PathReading, parseJsonPath } from './json-path/index.js';
import { type PrinterColumn, printerColumns } from './printer-columns.js';

/** Types of the columns that each path is tried in. */
const TYPES = ['string', 'integer', 'number', 'boolean', 'date'];
const NOW = Date.parse('2026-01-01T00:00:00Z');

/**
 * Cells as release 1.27.16 shows them (apiextensions-apiserver, customresource/tableconvertor). Left out are wildcards of objects, whose
 * order is not fixed there, and integers that are no data, which are no integers there.
 */
const vectors = vectorsOf<{ path: string; cells?: Cell[]; refused?: true; object?: ApiObject }>(
  './printer-column-vectors.jsonl',
  import.meta.url,
);
const [head, ...rows] = vectors;
/** Integers beyond 2^53 as objects hold them. */
const object = parseJson(
  Buffer.from(JSON.stringify(head?.object).replace(/9007199254740992/g, '9007199254740993')),
).value;

const columnOf = (jsonPath: string, type: string) => ({ name: type, type, jsonPath });
const cellsOf = (path: string, value: JsonValue): Cell[] =>
  printerColumns(TYPES.map((type) => columnOf(path, type))).cells(value as unknown as ApiObject, NOW);

describe('columns as the reference shows them', () => {
  test.each(rows.map((row) => [row.path, row] as const))('%j', (path, { cells, refused }) => {
    if (refused) expect(cellsOf(path, object)).toEqual([]);
    else expect(cellsOf(path, object).map(comparable)).toEqual(cells?.map(comparable));
  });
});

/** The vectors are read as doubles. */
const comparable = (cell: Cell): Cell => (typeof cell === 'bigint' || typeof cell === 'number' ? Number(cell) : cell);

const shared = process.env.ORCH_SHARED ?? fileURLToPath(new URL('../../../../../shared', import.meta.url));
const facts = join(shared, 'facts/jsonpath-vectors.jsonl');

/** Of one definition: its columns, and cells behind the name. */
interface Shown {
  readonly id: string;
  readonly columns: readonly PrinterColumn[];
  readonly object: ApiObject;
  readonly cells?: Cell[];
  readonly error?: string;
}

test.runIf(existsSync(facts))('columns of definitions in the shared vectors', () => {
  const lines = readFileSync(facts, 'utf8').trim().split('\n');
  const shown = lines.map((line) => parseJson(Buffer.from(line)).value as unknown as Shown);
  for (const { id, columns, object: thing, cells, error } of shown.filter((each) => each.columns.length > 0)) {
    if (error) expect(printerColumns(columns).columns.length, id).toBeLessThan(columns.length);
    else expect(printerColumns(columns).cells(thing, NOW).map(comparable), id).toEqual(cells?.slice(1).map(comparable));
  }
});

describe('the rest', () => {
  const one = (type: string, jsonPath: string, value: JsonValue): Cell | undefined =>
    printerColumns([columnOf(jsonPath, type)]).cells(value as unknown as ApiObject, NOW)[0];

  test.each([
    ['2025-12-31T23:00:00Z', '60m'],
    ['2026-01-01T00:00:30Z', '<invalid>'],
    ['', '<unknown>'],
    ['null', '<unknown>'],
    ['yesterday', '<invalid>'],
  ])('a date %j is shown as %s', (at, shown) => {
    expect(one('date', '.at', { at })).toBe(shown);
  });

  test('a version without columns shows the age', () => {
    const { columns, cells } = printerColumns([]);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([['Age', 'date']]);
    expect(cells({ metadata: { creationTimestamp: '2025-12-31T00:00:00Z' } } as ApiObject, NOW)).toEqual(['24h']);
  });

  test('columns are described by their path where nobody does', () => {
    const [plain, described] = printerColumns([
      columnOf('.a', 'string'),
      { ...columnOf('.b', 'integer'), format: 'int32', description: 'B.', priority: 1 },
    ]).columns;
    expect(plain).toEqual({
      name: 'string',
      type: 'string',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .a',
      priority: 0,
    });
    expect(described).toMatchObject({ format: 'int32', description: 'B.', priority: 1 });
  });

  test.each([
    ['branches upon branches', `.a${'[*,*]'.repeat(60)}`],
    ['descents upon descents', `.a${'...*'.repeat(40)}`],
    ['members upon members', `.a${'.*...*'.repeat(20)}`],
  ])('%s find nothing, and end', (_what, path) => {
    const deep = (depth: number): JsonValue => (depth === 0 ? [1] : [deep(depth - 1), deep(depth - 1)]);
    expect(one('string', path, { a: deep(8) })).toBeNull();
  });

  test.each([
    ['filters', '[?('],
    ['quotes', '[?("'],
    ['brackets', '['],
    ['braces', '{'],
  ])('very many open %s are read in time, and refused', (_what, piece) => {
    for (const times of [1_000, 8_000, 100_000])
      expect(() => parseJsonPath(`.a${piece.repeat(times / piece.length)}`)).toThrow(JsonPathError);
  });

  test('members that every object has are not found', () => {
    for (const name of ['constructor', '__proto__', 'toString']) expect(one('string', `.${name}`, {})).toBeNull();
  });
});

describe('a row of hostile columns', () => {
  /** CPU time of a row, milliseconds: the least of three, as the first is not compiled yet. */
  function rowOf(paths: readonly string[], value: JsonValue): { readonly cells: Cell[]; readonly cpuMs: number } {
    const { cells } = printerColumns(paths.map((path) => columnOf(path, 'string')));
    let [made, cpuMs]: [Cell[], number] = [[], Number.POSITIVE_INFINITY];
    for (let times = 0; times < 3; times++) {
      const before = process.cpuUsage();
      made = cells(value as unknown as ApiObject, NOW);
      const { user, system } = process.cpuUsage(before);
      cpuMs = Math.min(cpuMs, (user + system) / 1_000);
    }
    return { cells: made, cpuMs };
  }
  const MOST_MS = 50;
  const items = Array.from({ length: 45_000 }, (_, i) => ({ i }));

  test.each([
    ['unions of thousands', [`.spec[${Array(1_000).fill("'a'").join()}][*]`]],
    ['unions upon unions', [`.spec${"['a','a']".repeat(900)}`]],
    ['slices of a list that is found very often', [`.spec[${Array(1_900).fill("'a'").join()}][0:][0:]`]],
    ['filters of nothing', [`.spec[${Array(1_900).fill("'a'").join()}][?(@)]`]],
    ['descents in each of very many columns', Array(2_000).fill('..i')],
    ['descents of texts', Array(2_000).fill('.text..')],
    ['wildcards of wide lists', Array(2_000).fill('.spec.a[*]..i')],
  ] as [string, string[]][])('%s: nothing is found, and soon', (_what, paths) => {
    const { cells, cpuMs } = rowOf(paths, { spec: { a: items }, text: 'x'.repeat(1_000_000) } as JsonValue);
    expect(cpuMs).toBeLessThan(MOST_MS);
    expect(cells).toEqual(paths.map(() => null));
  });

  test('texts of very many bytes are not taken apart', () => {
    const { cells, cpuMs } = rowOf(['.text..', '.text.*'], { text: 'x'.repeat(20_000_000) });
    expect(cpuMs).toBeLessThan(MOST_MS);
    expect(cells).toEqual([null, null]);
  });

  test('long texts that are compared with each item', () => {
    const list = Array.from({ length: 1_000 }, () => ({ at: 'y' }));
    const compared = (length: number) => rowOf([`.list[?(@.at > "${'x'.repeat(length)}")].at`], { list }).cells;
    expect(compared(10)).toEqual(['y']);
    expect(compared(7_000)).toEqual([null]);
  });

  test('paths that are short enough each, until they are too much together', () => {
    const list = Array.from({ length: 3_000 }, () => ({ at: 'y' }));
    const { cells } = rowOf(Array(30).fill('.list[*].at'), { list });
    const shown = cells.filter((cell) => cell === 'y');
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.length).toBeLessThan(20);
    expect(cells.slice(shown.length).every((cell) => cell === null)).toBe(true);
  });

  test('the same large value a hundred times: it is shown as often as there is room for', () => {
    const spec = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`${i}k`, 'x'.repeat(50)]));
    const { cells } = rowOf(Array(100).fill('.spec'), { spec });
    expect(cells.map((cell) => cell !== null)).toEqual([true, true, ...Array(98).fill(false)]);
  });

  test('members are shown in the order of their bytes', () => {
    const { cells } = rowOf(['.spec'], { spec: { '\u{1f600}': 1, '\ufffd': 2, a: 3 } });
    expect(cells).toEqual(['{"a":3,"\ufffd":2,"\u{1f600}":1}']);
  });

  const wide = (name: (at: number) => string): JsonValue => ({
    spec: Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [name((i * 7_919) % 25_000), i])),
  });
  test.each([
    ['an object of very many names', wide((at) => `n${at}`)],
    ['one of names that are longer in UTF-8 than they seem', wide((at) => `\uff21${at}`)],
    ['a text of nothing but escapes', { spec: '<'.repeat(900_000) }],
  ])('%s, in as many columns as there may be: in time', (_what, value) => {
    expect(rowOf(Array(2_000).fill('.spec'), { ...(value as object), wraps: value }).cpuMs).toBeLessThan(MOST_MS);
    expect(rowOf(Array(2_000).fill('.wraps'), { wraps: value }).cpuMs).toBeLessThan(MOST_MS);
  });

  test('ordinary columns are all shown, many of them too', () => {
    const { cells } = rowOf(Array(2_000).fill('.metadata.name'), { metadata: { name: 'x'.repeat(253) } });
    expect(new Set(cells)).toEqual(new Set(['x'.repeat(253)]));
    expect(cells).toHaveLength(2_000);
  });

  test('columns behind those whose paths are too long together are left out', () => {
    const path = `.${'x'.repeat(8_000)}`;
    const nine = Array(9).fill(columnOf(path, 'string'));
    expect(printerColumns(nine).columns).toHaveLength(4);
    const reading = new PathReading();
    expect(printerColumns(nine.slice(0, 3), reading).columns).toHaveLength(3);
    expect(printerColumns(nine, reading).columns).toHaveLength(1);
    expect(printerColumns([columnOf(`${path}${'x'.repeat(1_000)}`, 'string')]).columns).toHaveLength(0);
  });
});
