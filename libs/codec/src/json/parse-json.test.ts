import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TooManyValuesError } from '../too-many-values.js';
import { JsonSyntaxError } from './json-error.js';
import { JsonReader } from './json-reader.js';
import { duplicatePaths, isTooDeep, parseJson, parseStoredJson } from './parse-json.js';
import { scanJson } from './scan.js';
import { stringifyJson } from './stringify-json.js';

/** What the careful reader alone says. */
const carefully = (text: string) => new JsonReader(text, 1000).document();

describe('long runs of one thing', () => {
  const long = 5_000;
  it.each([
    ['blanks', `{"a"${' '.repeat(long)}:\n\t\r${' '.repeat(long)}1}${' '.repeat(long)}`],
    ['digits', `{"a":[0.${'1'.repeat(long)},-1e-${'1'.repeat(long)}],"b":${'1'.repeat(16)}.${'0'.repeat(long)}}`],
    ['quotes', `["${'\\"'.repeat(long)}",1]`],
    ['backslashes', `["${'\\\\'.repeat(long)}",1]`],
    ['backslashes behind a quote', `["\\"${'\\\\'.repeat(long)}",1]`],
    ['a thousand characters and a quote', `["${'a'.repeat(999)}\\"","${'a'.repeat(998)}\\"b",1]`],
    ['surrogates', `["${'\u{1f600}'.repeat(long)}\\"",1]`],
  ])('%s', (_what, text) => {
    expect(parseJson(text).value).toEqual(JSON.parse(text));
    expect(carefully(text)).toEqual(JSON.parse(text));
    for (const broken of [text.trimEnd().slice(0, -1), text.slice(0, 900), text.slice(0, 901), `${text}x`]) {
      expect(() => parseJson(broken)).toThrow(JsonSyntaxError);
    }
  });
});

it('of digits many are passed over at a time', () => {
  const text = { digits: '1'.repeat(2_000_000), commas: ','.repeat(2_000_000) };
  const cpuOf = (each: string) => {
    const before = process.cpuUsage();
    scanJson(each, { maxDepth: 1, maxValues: Number.POSITIVE_INFINITY });
    return process.cpuUsage(before).user;
  };
  const least = (each: string) => Math.min(...Array.from({ length: 5 }, () => cpuOf(each)));
  expect(scanJson(text.digits, { maxDepth: 1, maxValues: 1 }).wideNumber).toBe(true);
  expect(least(text.digits)).toBeLessThan(least(text.commas) / 2);
});

it.each(['1'.repeat(15), '1'.repeat(16), `${'1'.repeat(15)}x1`])('digits in a row are counted: %s', (text) => {
  expect(scanJson(text, { maxDepth: 1, maxValues: 1 }).wideNumber).toBe(/\d{16}/.test(text));
});

describe('parseJson', () => {
  it.each([
    ['9007199254740993', 9007199254740993n],
    ['[-9223372036854775808]', [-9223372036854775808n]],
    ['{"a":9007199254740991}', { a: 9007199254740991 }],
    ['1234567890123456', 1234567890123456],
    ['1e3', 1000],
    ['-0.5E-1', -0.05],
    ['0.1234567890123456789', 0.12345678901234568],
    ['"\\ud83d\\ude00"', '😀'],
    ['"a\\ud83db"', 'a\ufffdb'],
    ['"\\u0000\\n\\/"', '\0\n/'],
    [' { "a" : [ ] , "b" : { } } ', { a: [], b: {} }],
  ])('%s', (text, value) => {
    expect(parseJson(text).value).toEqual(value);
    expect(parseJson(Buffer.from(text)).value).toEqual(value);
  });

  it.each([
    ['', 'unexpected end of JSON input', 0],
    ['{"a":1', 'unexpected end of JSON input', 6],
    ['{"a" 1}', "invalid character '1' after object key", 5],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair", 7],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string", 1],
    ['[1 2]', "invalid character '2' after array element", 3],
    ['[1,]', "invalid character ']' looking for beginning of value", 3],
    ['01', "invalid character '1' after top-level value", 1],
    ['"\n"', "invalid character '\\n' in string literal", 1],
    ['"\\x"', "invalid character 'x' in string escape code", 2],
    ['nul', "invalid character 'n' in literal", 0],
    ["'a'", "invalid character '\\'' looking for beginning of value", 0],
    ['{} x', "invalid character 'x' after top-level value", 3],
    ['1e999', 'number 1e999 is out of range', 5],
    ['9'.repeat(10_000), `number ${'9'.repeat(64)}… is out of range`, 10_000],
  ])('refuses %j', (text, message, offset) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ name: 'JsonSyntaxError', message, offset }));
  });

  it('finds repeated names with their paths, and keeps the last value', () => {
    const parsed = parseJson('{"spec":{"a":1,"l":[{"x":1,"x":2}],"a":3},"\\u0073pec":{"b":1,"b":2}}');
    expect(parsed.value).toEqual({ spec: { b: 2 } });
    expect(duplicatePaths(parsed)).toEqual(['spec.b', 'spec']);
    expect(duplicatePaths(parseJson('{"s":{"a":1,"l":[{"x":1,"x":2}],"a":3}}'))).toEqual(['s.a', 's.l[0].x']);
    expect(duplicatePaths(parseJson('{"a":{"x":1},"b":{"x":1}}'))).toEqual([]);
    const many = Array.from({ length: 1_000 }, (_, i) => `"u${i}":1,"u${i}":2`).join();
    expect(duplicatePaths(parseJson(`{${many}}`))).toHaveLength(100);
    expect(duplicatePaths(parseJson(`{"${'x'.repeat(100_000)}":{${many}}}`))).toHaveLength(1);
  });

  it('is not misled by colons, braces and escapes in texts', () => {
    const text = '{"a:\\"":":","b\\\\":"{[:","c":"\\\\\\":\\\\"}';
    const parsed = parseJson(text);
    expect(parsed.duplicates).toBeUndefined();
    const limits = { maxDepth: 10, maxValues: 10 };
    expect(scanJson(text, limits)).toEqual({ members: 3, values: 3, depth: 1, wideNumber: false });
    expect(parsed.value).toEqual({ 'a:"': ':', 'b\\': '{[:', c: '\\":\\' });
  });

  it('keeps names with escapes apart from those that were read before', () => {
    const names = (value: JsonValue) => Object.keys(value as JsonObject);
    for (const [place, read] of [(bytes: Buffer) => parseJson(bytes).value, parseStoredJson].entries()) {
      const after = (text: string) => names(read(Buffer.from(text.replace('first', `first${place}`))));
      expect(after('{"first":[],"\\\\":0}')[1]).toBe('\\');
      for (const [text, name] of Object.entries({ '\\"': '"', '\\n': '\n', '\\u0061': 'a', '\\/': '/' })) {
        expect(after(`{"first":1,"${text}":2}`)[1]).toBe(name);
      }
    }
  });

  it.each(['{"__proto__":{"x":1},"a":1}', '{"\\u005f_proto__":{"x":1},"a":1}', '{"__proto__":{"x":1e0},"a":1}'])(
    'makes of `__proto__` a member like others: %s',
    (text) => {
      const value = parseJson(text).value as JsonObject;
      expect(Object.entries(value)).toEqual([
        ['__proto__', { x: 1 }],
        ['a', 1],
      ]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(value.x).toBeUndefined();
    },
  );

  describe('lets the owners of the fields of the deepest object be sent again', () => {
    const within = (depth: number, name: string) => `${`{"${name}":`.repeat(depth)}{}${'}'.repeat(depth)}`;
    const owned = (depth: number) => `[{"fieldsV1":${within(depth, 'f:a')}}]`;
    const object = (owners: string, spec = '{}', more = '') =>
      `{"metadata":{"name":"a","managedFields":${owners}${more}},"spec":${spec}}`;

    it.each([
      ['an object of 1,000 levels with its owners', object(owned(1_000), within(998, 'a')), false],
      [
        'the same with a number of many digits',
        object(owned(1_000), within(998, 'a'), `,"n":${'1'.repeat(20)}`),
        false,
      ],
      ['owners of an object that is deeper', object(owned(1_001)), true],
      ['an object that is deeper', object('[]', within(999, 'a')), true],
      ['other metadata', object('[]', '{}', `,"others":${within(998, 'a')}`), true],
      ['managed fields of something else', `{"spec":{"managedFields":${owned(1_000)}}}`, true],
      ['managed fields in a list', `[{"metadata":{"managedFields":${owned(1_000)}}}]`, true],
      ['managed fields further down', `{"metadata":{"metadata":{"managedFields":${owned(1_000)}}}}`, true],
    ])('%s', (_what, text, isRefused) => {
      if (isRefused) expect(() => parseJson(text)).toThrow('exceeded max depth');
      else
        expect(
          JSON.stringify(parseJson(text).value, (_, value) => (typeof value === 'bigint' ? 0 : value)),
        ).toBeTruthy();
      expect(isTooDeep(JSON.parse(text) as JsonValue)).toBe(isRefused);
    });
  });

  it('bounds depth and size', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(1000)).value).toBeInstanceOf(Array);
    expect(() => parseJson(nested(1001))).toThrow('exceeded max depth');
    expect(() => parseJson(nested(1_000_000))).toThrow('exceeded max depth');
    expect(() => parseJson('{"a":"["}', { maxDepth: 1 })).not.toThrow();
    expect(() => parseJson('"12345"', { maxBytes: 6 })).toThrow(JsonSyntaxError);
    expect(() => parseJson('[1,2,3]', { maxValues: 3 })).not.toThrow();
    expect(() => parseJson('[1,2,3,4]', { maxValues: 3 })).toThrow(TooManyValuesError);
    expect(() => parseJson('{"a":{},"b":[]}', { maxValues: 3 })).toThrow(TooManyValuesError);
    expect(() => parseJson(`["${',[{'.repeat(100)}"]`, { maxValues: 3 })).not.toThrow();
    expect(() => parseJson('[",,,,', { maxValues: 3 })).toThrow('unexpected end of JSON input');
    expect(() => parseJson('"\\', { maxValues: 3 })).toThrow('unexpected end of JSON input');
  });

  it('says the same as the careful reader for any JSON (property)', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(text).value).toEqual(carefully(text));
      }),
      { seed: 20260110, numRuns: 500 },
    );
  });

  it('says the same as the careful reader for near-JSON (property)', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      'e',
      '.',
      'true',
      'null',
      ' ',
      '\\u00e9',
      '12345678901234567',
    );
    const outcome = (read: () => JsonValue) => {
      try {
        return read();
      } catch (error) {
        expect(error).toBeInstanceOf(JsonSyntaxError);
        return `refused: ${(error as Error).message}`;
      }
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(outcome(() => parseJson(text).value)).toEqual(outcome(() => carefully(text)));
      }),
      { seed: 20260111, numRuns: 1000 },
    );
  });

  it('says the same as the careful reader for any names (property)', () => {
    const name = fc.array(fc.constantFrom('a', 'b', '\\', '"', '\n', 'é', '\u2028', '😀'), {
      minLength: 1,
      maxLength: 3,
    });
    const names = fc.array(fc.tuple(name, fc.boolean()), { minLength: 1, maxLength: 3 });
    const spelled = (text: string, inFull: boolean) =>
      inFull ? text.replaceAll('a', '\\u0061').replaceAll('\\\\', '\\u005c') : text;
    fc.assert(
      fc.property(names, (each) => {
        const members = each.map(([pieces, inFull], at) => `${spelled(JSON.stringify(pieces.join('')), inFull)}:${at}`);
        const text = `{${members.join()}}`;
        expect(Object.entries(parseJson(text).value as JsonObject)).toEqual(
          Object.entries(carefully(text) as JsonObject),
        );
        expect(parseStoredJson(Buffer.from(text))).toEqual(carefully(text));
      }),
      { seed: 20261122, numRuns: 3000 },
    );
  });

  it('refuses exactly what the native parser refuses (property)', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.string({ maxLength: 2 }), (text, at, noise) => {
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + noise + text.slice(place);
        let native = true;
        try {
          JSON.parse(broken);
        } catch {
          native = false;
        }
        let ours = true;
        try {
          carefully(broken);
        } catch (error) {
          // The native parser takes numbers beyond the range of a double for infinite.
          fc.pre(!/out of range/.test(String(error)));
          ours = false;
        }
        expect(ours).toBe(native);
      }),
      { seed: 20260112, numRuns: 500 },
    );
  });
});

describe('stored JSON', () => {
  it('keeps integers exact, both ways', () => {
    const object = { a: 9007199254740993n, b: [1, -9223372036854775808n], c: 'x:1234567890123456789', d: undefined };
    const text = stringifyJson(object);
    expect(text).toBe('{"a":9007199254740993,"b":[1,-9223372036854775808],"c":"x:1234567890123456789"}');
    expect(parseStoredJson(Buffer.from(text))).toEqual({ a: object.a, b: object.b, c: object.c });
  });

  it('are exact wherever they stand', () => {
    for (let before = 0; before < 40; before++) {
      const text = JSON.stringify({ a: 'x'.repeat(before), b: 'y' }).replace('"y"', '9007199254740993');
      expect(parseStoredJson(Buffer.from(text))).toEqual({ a: 'x'.repeat(before), b: 9007199254740993n });
    }
  });
  it('indents alike with and without big integers', () => {
    const shape = (n: number | bigint) => ({ a: { b: [n, 'x'], c: [], d: {} }, e: null });
    expect(stringifyJson(shape(10n ** 16n), 2)).toBe(JSON.stringify(shape(10 ** 16), undefined, 2));
    expect(stringifyJson(shape(1), 2)).toBe(JSON.stringify(shape(1), undefined, 2));
  });
});
