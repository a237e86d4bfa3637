import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from './field-selector.js';
import type { LabelRequirement } from './label-requirement.js';
import { LabelSelector, labelRequirement, labelSelectorOf, SelectorError } from './label-selector.js';
import { parseLabelSelector } from './label-selector-parser.js';

/** What one condition says of labels, by the words of the API. */
function fulfils({ key, operator, values }: LabelRequirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  const [first = ''] = values;
  if (operator === 'exists' || operator === '!') return (value !== undefined) === (operator === 'exists');
  if (operator === 'notin') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'in') return values.includes(value);
  if (!/^[+-]?\d+$/.test(value)) return false;
  return operator === 'gt' ? Number(value) > Number(first) : Number(value) < Number(first);
}

describe('parseLabelSelector', () => {
  it.each<[string, string]>([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    [' a = b , c != d ', 'a=b,c!=d'],
    ['e in (y, x,x)', 'e in (x,y)'],
    ['e in (x)', 'e=x'],
    ['f notin (z)', 'f!=z'],
    ['g,!h', '!h,g'],
    ['a=', 'a='],
    ['a in (,b)', 'a in (,b)'],
    ['i>1,i<10', 'i<10,i>1'],
    ['in in (in)', 'in=in'],
    ['example.com/a=b', 'example.com/a=b'],
    ['b=1,a=1,b=1', 'a=1,b=1'],
  ])('%j is %j', (text, canonical) => {
    const selector = parseLabelSelector(text);
    expect(selector.canonical).toBe(canonical);
    expect(parseLabelSelector(canonical).canonical).toBe(canonical);
  });

  it.each<[string, RegExp]>([
    ['a=b,', /found '', expected: identifier after ','/],
    [',a', /found ',', expected: !, identifier, or 'end of string'/],
    ['a b', /found 'b', expected: in, notin, =, ==, !=, gt, lt/],
    ['a in x', /found 'x', expected: '\('/],
    ['a in (x', /found '', expected: ',' or '\)'/],
    ['a=b c', /found 'c', expected: ',' or 'end of string'/],
    ['!', /found '', expected: identifier/],
    ['a=(', /found '\(', expected: identifier/],
    ['a/b/c=1', /key: Invalid value: "a\/b\/c": a qualified name must consist/],
    ['a=-', /values\[0\]\[a\]: Invalid value: "-": a valid label must be/],
    ['a>x', /the value must be an integer/],
    [`a=${'x'.repeat(64)}`, /must be no more than 63 characters/],
  ])('refuses %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['a=b', { a: 'b' }, true],
    ['a=b', {}, false],
    ['a!=b', {}, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>9', { a: '10' }, true],
    ['a<9', { a: 'x' }, false],
    ['a=b,c', { a: 'b' }, false],
    ['', {}, true],
    ['constructor', {}, false],
    ['!toString', {}, true],
  ])('%j on %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it('finds each of many values, and nothing beside them', () => {
    const values = Array.from({ length: 101 }, (_, number) => `v${number * 2}`);
    const [within, without] = [parseLabelSelector(`a in (${values})`), parseLabelSelector(`a notin (${values})`)];
    for (let number = 0; number <= 202; number++) {
      const expected = number % 2 === 0 && number <= 200;
      const labels = { a: `v${number}` };
      expect([within.matches(labels), without.matches(labels)]).toEqual([expected, !expected]);
    }
  });

  it('judges as its conditions do one by one (property)', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const value = fc.constantFrom('', 'x', 'y', '1', '20');
    const requirement = fc.oneof(
      fc.tuple(key, fc.constantFrom('in' as const, 'notin' as const), fc.array(value, { minLength: 1, maxLength: 3 })),
      fc.tuple(key, fc.constantFrom('exists' as const, '!' as const), fc.constant([])),
      fc.tuple(key, fc.constantFrom('gt' as const, 'lt' as const), fc.constantFrom(['1'], ['0'], ['15'])),
    );
    // Many keys that are not there: then it is the labels that are gone through.
    const absent = fc.constantFrom(0, 20).map((count) => Array.from({ length: count }, (_, at) => `!p${at}`));
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 6 }), fc.dictionary(key, value), absent, (parts, labels, more) => {
        const each = parts.map(([k, operator, values]) => labelRequirement(k, operator, values));
        const whole = new LabelSelector([...each, ...parseLabelSelector(more.join(',')).requirements]);
        const oneByOne = each.every((one) => fulfils(one, labels));
        expect(whole.matches(labels)).toBe(oneByOne);
      }),
      { seed: 20261122, numRuns: 2000 },
    );
  });

  it.each([
    ['negations', Array.from({ length: 4000 }, (_, at) => `!k${at}`).join(','), true],
    ['values of one label', Array.from({ length: 4000 }, (_, at) => `a!=v${at}`).join(','), true],
    ['labels that must be there', Array.from({ length: 4000 }, (_, at) => `k${at}`).join(','), false],
  ])('looks at no more than the labels that there are: %s', (_what, text, expected) => {
    let looks = 0;
    const look = <T>(value: T): T => {
      looks++;
      return value;
    };
    const labels = new Proxy<Record<string, string>>(
      { a: 'x', b: 'y' },
      {
        get: (target, key) => look(Reflect.get(target, key)),
        getOwnPropertyDescriptor: (target, key) => look(Reflect.getOwnPropertyDescriptor(target, key)),
      },
    );
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
    expect(looks).toBeLessThan(20);
  });

  it('says how much it says, without repeats', () => {
    expect(parseLabelSelector('!a,!a,b=1,b==1,c in (x,y,x),d').terms).toBe(5);
    expect(parseLabelSelector('!a,!a').requirements).toHaveLength(1);
    expect(parseLabelSelector('').terms).toBe(0);
    expect(parseFieldSelector('a=1,a=1,b!=2').terms).toBe(2);
  });

  it('names the labels that an index can be asked for', () => {
    expect([...parseLabelSelector('a=b,c in (d),e in (f,g),h!=i,j').equalities()]).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('gives its canonical form the same meaning (property)', () => {
    const key = fc.constantFrom('a', 'b', 'example.com/c');
    const value = fc.constantFrom('', 'x', 'y', '1', '20');
    const requirement = fc.oneof(
      fc.tuple(key, fc.constantFrom('in' as const, 'notin' as const), fc.array(value, { minLength: 1, maxLength: 3 })),
      fc.tuple(key, fc.constantFrom('exists' as const, '!' as const), fc.constant([])),
      fc.tuple(key, fc.constantFrom('gt' as const, 'lt' as const), fc.constantFrom(['1'], ['15'])),
    );
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(key, value), (parts, labels) => {
        const selector = new LabelSelector(parts.map(([k, operator, values]) => labelRequirement(k, operator, values)));
        const again = parseLabelSelector(selector.canonical);
        expect(again.canonical).toBe(selector.canonical);
        expect(again.matches(labels)).toBe(selector.matches(labels));
      }),
      { seed: 20260120, numRuns: 500 },
    );
  });

  it('answers any text with a selector or a SelectorError (property)', () => {
    const piece = fc.oneof(
      fc.constantFrom('a', ' in ', ' notin ', '(', ')', ',', '=', '!', '!=', '>', ' '),
      fc.string({ maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        try {
          parseLabelSelector(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError);
        }
      }),
      { seed: 20260121, numRuns: 1000 },
    );
  });
});

describe('labelSelectorOf', () => {
  it('refuses conditions without key or operator', () => {
    for (const condition of [{}, { operator: 'In', values: ['a'] }, { key: 'a' }])
      expect(() => labelSelectorOf({ matchExpressions: [condition] })).toThrow(SelectorError);
  });

  it('reads the object form', () => {
    const selector = labelSelectorOf({
      matchLabels: { a: 'b' },
      matchExpressions: [
        { key: 'c', operator: 'NotIn', values: ['y', 'x'] },
        { key: 'd', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.canonical).toBe('!d,a=b,c notin (x,y)');
  });

  it('takes an absent selector for none and an empty one for all', () => {
    expect(labelSelectorOf(undefined).matches({ a: 'b' })).toBe(false);
    expect(labelSelectorOf(null).matchesEverything).toBe(false);
    expect(labelSelectorOf({}).matches(undefined)).toBe(true);
  });

  it('refuses unknown operators and wrong numbers of values', () => {
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Is' }] })).toThrow(
      '"Is" is not a valid label selector operator',
    );
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
      "values set can't be empty",
    );
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] })).toThrow(
      'must be empty',
    );
  });
});

describe('parseFieldSelector', () => {
  it.each<[string, string]>([
    ['', ''],
    ['metadata.name=x,spec.nodeName!=y', 'metadata.name=x,spec.nodeName!=y'],
    ['b==2,a=1', 'a=1,b=2'],
    ['a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\'],
    ['a=,,', 'a='],
    ['a=x in (b)', 'a=x in (b)'],
    ['a in (b)=c', 'a in (b)=c'],
    [' a in ( y , x,y ) ,b=1', 'a in (x,y),b=1'],
    ['a in (x)', 'a=x'],
    ['a in ()', 'a='],
    ['a notin (y,x),a!=x', 'a!=x,a!=y'],
    ['a in (\\),\\,)', 'a in (\\),\\,)'],
  ])('%j is %j', (text, canonical) => {
    expect(parseFieldSelector(text).canonical).toBe(canonical);
  });

  it.each<[string, RegExp]>([
    ['abc', /can't understand "abc"/],
    ['a=b=c', /unescaped character in value: =/],
    ['a=\\x', /invalid escape sequence: \\x/],
    ['a=b\\', /invalid escape sequence: \\$/],
    ['a=\\(', /invalid escape sequence: \\\(/],
    ['a in (b,c', /can't understand "a in \(b"/],
    ['a in (b) c', /can't understand "a in \(b\) c"/],
    ['a in (b=c)', /unescaped character in value: =|can't understand/],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(SelectorError);
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  it('compares, taking what is not there for the empty text', () => {
    const selector = parseFieldSelector('a=x\\,y,b!=z,c=');
    expect(selector.matches({ a: 'x,y' })).toBe(true);
    expect(selector.matches({ a: 'x,y', b: 'z' })).toBe(false);
    expect(selector.matches({ a: 'x,y', c: '1' })).toBe(false);
    expect([...selector.equalities()]).toEqual([
      ['a', 'x,y'],
      ['c', ''],
    ]);
  });

  it('compares with sets, all of which must hold', () => {
    const selector = parseFieldSelector('a in (x,y),a in (y,z),b notin (1,2)');
    expect(selector.matches({ a: 'y' })).toBe(true);
    expect(selector.matches({ a: 'x' })).toBe(false);
    expect(selector.matches({ a: 'y', b: '2' })).toBe(false);
    expect(parseFieldSelector('a in (x),a in (y)').matches({ a: 'x' })).toBe(false);
    expect(selector.terms).toBe(6);
    expect([...parseFieldSelector('a in (x),b in (y,z),c notin (d)').equalities()]).toEqual([['a', 'x']]);
  });

  it('reads back its own text of any set (property)', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string().map((text) => text.trim()),
          { minLength: 1 },
        ),
        (values) => {
          const texts = values.map((value) => value.replace(/[\\,=()]/g, '\\$&'));
          const selector = parseFieldSelector(`a in (${texts.join(',')})`);
          for (const value of values) expect(selector.matches({ a: value })).toBe(true);
          expect(parseFieldSelector(selector.canonical).canonical).toBe(selector.canonical);
        },
      ),
      { seed: 20261123 },
    );
  });

  it('reads back any value (property)', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const escaped = value.replace(/[\\,=]/g, '\\$&');
        expect(parseFieldSelector(`a=${escaped}`).requirements).toEqual([
          { field: 'a', operator: '=', values: [value] },
        ]);
      }),
      { seed: 20260122 },
    );
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b/c',
      'metadata.name',
      'in',
      'notin',
      'exists',
      '=',
      '==',
      '!=',
      '!',
      '>',
      '<',
      '(',
      ')',
      ',',
      '\\',
      '\\,',
      ' ',
      '\t',
      '-',
      '/',
    ],
    ...['1', '', '\u00e9', '\u0000', '__proto__', 'constructor', '%2C', '\ud800', '"', "'", '~', '*'],
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    fc.string({ maxLength: 30 }),
  );
  const settings = { seed: Number(process.env.FUZZ_SEED ?? 20261124), numRuns: 5_000 };

  it.each([
    ['of labels', parseLabelSelector],
    ['of fields', parseFieldSelector],
  ])('is a selector %s with one meaning, or is refused in words', (_what, parse) => {
    const property = fc.property(text, (written) => {
      let canonical: string;
      try {
        canonical = parse(written).canonical;
      } catch (error) {
        expect(error, JSON.stringify(written)).toBeInstanceOf(SelectorError);
        return;
      }
      expect(parse(canonical).canonical, JSON.stringify(written)).toBe(canonical);
    });
    fc.assert(property, settings);
  });
});
