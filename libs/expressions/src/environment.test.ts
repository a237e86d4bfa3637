import { describe, expect, it } from 'vitest';
import { COST_EXCEEDED, Environment } from './environment.js';
import { PlanError } from './evaluation/planner.js';
import { type AccessQuestion, AUTHORIZER_TYPE, authorizerValue } from './libraries/authorization.js';
import { type CelType, DYN, INT, listOf, STRING } from './types/type.js';
import { ValueList } from './values/lists.js';
import { Failure, type Value } from './values/value.js';

const environment = new Environment();

function compiled(text: string, variables: Readonly<Record<string, CelType>> = {}) {
  const scope = { variables: new Map(Object.entries(variables)), fieldType: () => undefined, hasType: () => false };
  return environment.compile(text, scope);
}

const run = (text: string, limit = 1_000_000) => compiled(text).program().evaluate(new Map(), limit);

/** `[1]`, with each element doubled so often: a list in which exponentially many elements lie. */
const doubled = (times: number) => `[1]${'.map(x, dyn([x, x]))'.repeat(times)}`;

describe('hostile expressions', () => {
  it('end where what they compare is exponentially large', () => {
    const { value, exceeded } = run(`${doubled(40)} == ${doubled(40)}`);
    expect(exceeded).toBe(true);
    expect(value).toEqual(new Failure(COST_EXCEEDED));
  });

  it('end where what they search is exponentially large', () => {
    expect(run(`${doubled(40)} in [${doubled(40)}]`).exceeded).toBe(true);
  });

  it('end where a text grows without costs', () => {
    const grown = `[dyn('${'x'.repeat(100)}')]${'.map(x, x + x)'.repeat(60)}`;
    expect(run(`${grown}.size() == 1`).exceeded).toBe(true);
  });

  it('end where a list grows without costs', () => {
    const grown = `[[1]]${'.map(x, x + x)'.repeat(60)}`;
    expect(run(`${grown}.size() == 1`).exceeded).toBe(true);
  });

  it('cannot name what a macro gathers', () => {
    expect(() => compiled('[1].map(x, dyn(__result__))')).toThrow("undeclared reference to '__result__'");
  });

  it('match patterns in time that grows with the text', () => {
    expect(run(`'${'a'.repeat(5_000)}!'.matches('^(a+)+$')`).value).toBe(false);
  });

  it.each([
    ['a number', (text: string) => `double(s + '${text}') == 1.0`, '1'],
    ['a time', () => "timestamp('2024-01-01T00:00:00.' + s + '\\n') == timestamp(0)", '1'],
    ['a duration', () => "duration(s + 'x') == duration('1s')", '1'],
    ['a URL', () => "url('/' + s).getEscapedPath() == ''", ' '],
    ['a part of a URL', () => "url('http://h' + s + ':x/').getPort() == ''", ':1'],
    ['white space', () => "(s + 'x' + s).trim() == 'x'", ' '],
  ])('take time that grows with the text of %s', (_, rule, piece) => {
    const program = compiled(rule('x'), { s: STRING }).program();
    const { exceeded } = program.evaluate(new Map([['s', piece.repeat(500_000)]]));
    expect(exceeded).toBe(false);
  });

  it.each([
    ['the size of a text', 'n.all(x, m.size() > 0)'],
    ['its bytes', 'n.all(x, bytes(m).size() > 0)'],
    ['one of its characters', "n.all(x, m.charAt(5) == 'a')"],
    ['where a part stands', "n.all(x, m.indexOf('b') < 0)"],
    ['a time in a zone', "n.all(x, timestamp(0).getHours('America/New_York') > 0)"],
    ['all matches', "m.findAll('(a|b|ab)').size() > 0"],
    ['a list in a list', 'n.all(x, n in [n])'],
  ])('end where they look again and again at %s', (_, rule) => {
    const large = new Map<string, Value>([
      ['m', 'a'.repeat(300_000)],
      ['n', new ValueList(Array.from({ length: 40_000 }, (_, i) => BigInt(i)))],
    ]);
    const program = compiled(rule, { m: DYN, n: listOf(INT) }).program();
    expect(program.evaluate(large, 1_000_000).exceeded).toBe(true);
  });

  it('are refused where their patterns are too large', () => {
    expect(() => compiled("'a'.matches('((a{100}){100}){100}')").program()).toThrow(PlanError);
  });
});

describe('budgets', () => {
  const list = (size: number): Value => new ValueList(Array.from({ length: size }, (_, i) => BigInt(i)));

  it('end what costs more, at the first step that does', () => {
    const program = compiled('l.all(x, l.all(y, x + y >= 0))', { l: listOf(INT) }).program();
    const { value, cost, exceeded } = program.evaluate(new Map([['l', list(1_000)]]), 10_000);
    expect({ value, exceeded }).toEqual({ value: new Failure(COST_EXCEEDED), exceeded: true });
    expect(cost).toBeGreaterThan(10_000);
    expect(cost).toBeLessThan(10_010);
  });

  it('count the same on every run', () => {
    const program = compiled('l.filter(x, x % 2 == 0).map(x, x * x).size()', { l: listOf(INT) }).program();
    const costs = [1, 2, 3].map(() => program.evaluate(new Map([['l', list(10)]])).cost);
    expect(new Set(costs).size).toBe(1);
  });
});

describe('lists that loops make', () => {
  it.each([
    ['[1, 2].map(x, [x]).map(l, l + [3]) == [[1, 3], [2, 3]]'],
    ['[1, 2, 3].filter(x, x > 1).map(x, x + 1) == [3, 4]'],
    ['[[1, 2], [3]].map(l, l.map(x, x * 10)) == [[10, 20], [30]]'],
    ['([1] + [2] + [3])[2] == 3'],
  ])('%s', (text) => {
    expect(run(text).value).toBe(true);
  });
});

describe('failures', () => {
  it.each([
    ['false && 1 / 0 == 1', false],
    ['1 / 0 == 1 && false', false],
    ['true || 1 / 0 == 1', true],
    ['1 / 0 == 1 || true', true],
    ['[1, 0].exists(x, 1 / x == 1)', true],
    ['[0, 1].exists(x, 1 / x == 1)', true],
    ['[0, 2].all(x, 1 / x == 1)', false],
  ])('are made up for: %s', (text, value) => {
    expect(run(text).value).toBe(value);
  });

  it.each([
    ['1 / 0 == 1 && true', 'division by zero'],
    ['9223372036854775807 + 1 == 0', 'integer overflow'],
    ['-9223372036854775807 - 2 == 0', 'integer overflow'],
    ['0u - 1u == 0u', 'unsigned integer overflow'],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)", 'timestamp overflow'],
    ['{1: 2}[3] == 2', 'no such key: 3'],
    ['[0, 1].all(x, 1 / x == 1)', 'division by zero'],
  ])('are told: %s', (text, message) => {
    expect(run(text).value).toEqual(new Failure(message));
  });

  it('of variables that were not given are told where they are used', () => {
    const program = compiled('a || b', { a: DYN, b: DYN }).program();
    expect(program.evaluate(new Map([['a', true]])).value).toBe(true);
    expect(program.evaluate(new Map([['a', false]])).value).toEqual(new Failure('no such attribute: b'));
  });
});

describe('authorization', () => {
  const asked: AccessQuestion[] = [];
  const authorizer = authorizerValue((question) => {
    asked.push(question);
    if (question.verb === 'fail') throw new Error('down');
    return { allowed: question.verb === 'get', reason: 'because' };
  });
  const ask = (text: string) =>
    compiled(text, { authorizer: AUTHORIZER_TYPE })
      .program()
      .evaluate(new Map([['authorizer', authorizer]]));

  it('asks about paths and resources', () => {
    expect(ask("authorizer.path('/healthz').check('get').allowed()")).toMatchObject({ value: true, cost: 350_003 });
    expect(
      ask(
        "authorizer.group('apps').resource('deployments').subresource('scale').namespace('n').name('d').check('put').reason()",
      ).value,
    ).toBe('because');
    expect(ask("authorizer.serviceAccount('n', 'a').group('').resource('pods').check('get').allowed()").value).toBe(
      true,
    );
    expect(asked).toEqual([
      { verb: 'get', path: '/healthz' },
      { verb: 'put', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'n', name: 'd' },
      {
        verb: 'get',
        serviceAccount: { namespace: 'n', name: 'a' },
        group: '',
        resource: 'pods',
        subresource: '',
        namespace: '',
        name: '',
      },
    ]);
  });

  it.each([
    ["authorizer.path('').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource(' ').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('n', 'A').path('/').check('get').allowed()", 'Invalid service account name'],
    ["authorizer.serviceAccount('n.m', 'a').path('/').check('get').allowed()", 'Invalid service account namespace'],
    ["authorizer.path('/').check('fail').allowed()", 'error in authorization check: down'],
  ])('tells what is wrong with %s', (text, message) => {
    expect(ask(text).value).toEqual(new Failure(message));
  });
});

describe('functions on what they are not for, as release 1.27 answers (found by fuzz/main.ts)', () => {
  it.each<[string, Value]>([
    ["timestamp('0001-01-01T00:00:00Z').getDayOfYear('Europe/Paris')", 0n],
    ["timestamp('0001-01-01T00:00:00Z').getFullYear('America/New_York')", 0n],
    ["timestamp('1500-03-01T12:00:00Z').getDate('Europe/Paris')", 1n],
    ["timestamp('2020-01-01T00:00:00Z').getHours('/p')", new Failure('time: invalid location name')],
    ["timestamp('2020-01-01T00:00:00Z').getHours('a..b')", new Failure('time: invalid location name')],
    ["dyn(1).getDayOfYear('UTC')", new Failure('no such overload: getDayOfYear(int, string)')],
    ["dyn('a').getHours()", new Failure('no such overload: getHours(string)')],
    ["dyn(duration('1h')).getDate()", new Failure('no such overload: getDate(google.protobuf.Duration)')],
    [
      "dyn(duration('1h')).getHours('UTC')",
      new Failure('no such overload: getHours(google.protobuf.Duration, string)'),
    ],
    ['!dyn([])', new Failure('no such overload: !_')],
    ['!dyn(1u)', new Failure('no such overload: !_')],
    ['!dyn(1)', new Failure('no such overload')],
    ["!dyn('a')", new Failure('no such overload')],
    ["-dyn('a')", new Failure('no such overload')],
    ["dyn('a') * 2", new Failure('no such overload')],
    ['dyn(true) * 2', new Failure('no such overload: _*_')],
    ["'ab'.findAll('^[a-z]$', dyn('x'))", new Failure('no such overload')],
  ])('%s', (text, wanted) => expect(run(text).value).toEqual(wanted));
});
