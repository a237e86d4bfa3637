import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvError, parseCsv } from './csv.js';

test('records carry the line they begin on', () => {
  expect(parseCsv('a,b\r\n\n"x ""y""","two\nlines",\nlast')).toEqual([
    { line: 1, fields: ['a', 'b'] },
    { line: 3, fields: ['x "y"', 'two\nlines', ''] },
    { line: 5, fields: ['last'] },
  ]);
  expect(parseCsv('')).toEqual([]);
  expect(parseCsv('\uFEFFa,b\n')).toEqual([{ line: 1, fields: ['a', 'b'] }]);
});

test.each([
  ['a\n"open,b\nc', 'line 2: quoted field is not closed'],
  ['a\nb"c', 'line 2: quote inside'],
  ['"a"b', 'line 1: text after a closing quote'],
])('%j is refused', (text, message) => expect(() => parseCsv(text)).toThrow(message));

test('what is quoted is read back', () =>
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 2 }), { minLength: 1 }), (rows) => {
      const text = rows.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')).join('\n');
      expect(parseCsv(text).map(({ fields }) => fields)).toEqual(rows);
    }),
    { seed: 11 },
  ));

test('any text is read or refused, never looped over', () =>
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a') }), (text) => {
      try {
        parseCsv(text);
      } catch (error) {
        expect(error).toBeInstanceOf(CsvError);
      }
    }),
    { seed: 12, numRuns: 500 },
  ));
