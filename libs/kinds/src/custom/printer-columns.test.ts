import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@orch/codec';
import type { ApiObject, JsonValue } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import type { Cell } from '../rules/kind-rules.js';
import { vectorsOf } from '../testing/vectors.js';
import { JsonPathError } from './json-path/index.js';
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
    if (refused) expect(() => cellsOf(path, object)).toThrow(JsonPathError);
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
    if (error) expect(() => printerColumns(columns), id).toThrow(JsonPathError);
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
    expect(() => printerColumns([columnOf(`.a${piece.repeat(100_000)}`, 'string')])).toThrow(JsonPathError);
  });

  test('members that every object has are not found', () => {
    for (const name of ['constructor', '__proto__', 'toString']) expect(one('string', `.${name}`, {})).toBeNull();
  });
});
