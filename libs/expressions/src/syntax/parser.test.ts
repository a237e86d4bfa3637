import { describe, expect, it } from 'vitest';
import { ExpressionError } from './issues.js';
import { parse } from './parser.js';

function faultOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
  return 'none';
}

const nested = (depth: number, inner = 'true') => '('.repeat(depth) + inner + ')'.repeat(depth);

describe('limits of the parser', () => {
  it('reads forty nested parentheses, and no more', () => {
    expect(faultOf(nested(40))).toBe('none');
    expect(faultOf(nested(41))).toBe('ERROR: <input>:-1:0: max recursion depth exceeded');
  });

  it.each([1_000, 40_000])('answers %i nested parentheses with an error', (depth) => {
    expect(faultOf(nested(depth))).toBe('ERROR: <input>:-1:0: expression recursion limit exceeded: 250');
  });

  it.each([
    ['sums', Array(10_000).fill('1').join('+')],
    ['products', Array(10_000).fill('1').join('*')],
    ['comparisons', Array(10_000).fill('1').join('==')],
    ['parts', `a${'.b'.repeat(10_000)}`],
    ['indexes', `a${'[0]'.repeat(10_000)}`],
    ['choices', `${'true ? 1 : '.repeat(8_000)}1`],
    ['lists', '['.repeat(20_000)],
    ['maps', '{1:'.repeat(20_000)],
    ['calls', 'f('.repeat(20_000)],
  ])('answers long rows of %s with an error', (_, text) => {
    expect(faultOf(text)).toContain('expression recursion limit exceeded: 250');
  });

  it('reads long rows of what needs no depth', () => {
    expect(faultOf(Array(10_000).fill('true').join('&&'))).toBe('none');
    expect(faultOf(Array(10_000).fill('true').join('||'))).toBe('none');
    expect(faultOf(`${'!'.repeat(50_000)}true`)).toBe('none');
    expect(faultOf(`[${Array(30_000).fill('1').join(',')}]`)).toBe('none');
  });

  it('refuses expressions of more than 100,000 code points', () => {
    expect(faultOf(`'${'😀'.repeat(99_998)}'`)).toBe('none');
    expect(faultOf(`'${'x'.repeat(99_999)}'`)).toBe(
      'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    );
  });

  it('tells the first hundred faults of many', () => {
    const message = faultOf('# '.repeat(200));
    expect(message.match(/token recognition error/g)).toHaveLength(100);
    expect(message).toContain('101 more errors were truncated');
  });
});

describe('faults', () => {
  it('marks the place in its line', () => {
    expect(faultOf('1 +\n  é 10 #')).toBe(
      [
        "ERROR: <input>:2:3: Syntax error: token recognition error at: 'é'",
        ' |   é 10 #',
        ' | ..＾',
        "ERROR: <input>:2:8: Syntax error: token recognition error at: '#'",
        ' |   é 10 #',
        ' | ..．....^',
      ].join('\n'),
    );
  });

  it.each([
    ['9223372036854775808', 'invalid int literal'],
    ['-9223372036854775809', 'invalid int literal'],
    ['0xffffffffffffffffu + 0x1ffffffffffffffffu', 'invalid uint literal'],
    ['1e999', 'invalid double literal'],
    [`1${'0'.repeat(90_000)}`, 'invalid int literal'],
    ['while', 'reserved identifier: while'],
    ['has(a)', 'invalid argument to has() macro'],
    ['a.all(b.c, true)', 'argument must be a simple name'],
    ['a.map(1, true)', 'argument is not an identifier'],
    ['f(){a: 1}', 'expected a qualified name'],
    ['! -a', "input '-' expecting"],
  ])('of %.40s', (text, message) => {
    expect(faultOf(text)).toContain(message);
  });

  it.each([
    '-9223372036854775808',
    '--1',
    '- 1',
    '1.5e3',
    '.5',
    '0xFu',
    'rb',
    "b'\\xff'",
    '"""a"b"""',
    '[1,]',
    '{}',
    '[,]',
  ])('does not find any in %s', (text) => {
    expect(faultOf(text)).toBe('none');
  });
});
