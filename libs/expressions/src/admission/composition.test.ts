import { expect, test } from 'vitest';
import { LATER_ENVIRONMENT } from '../environment.js';
import { authorizerValue } from '../libraries/authorization.js';
import { jsonValue } from '../schema-types/json-values.js';
import { type CelType, DYN, INT, listOf, mapOf, objectOf, optionalOf, STRING } from '../types/type.js';
import { Failure, type Value } from '../values/value.js';
import { admissionProgram } from './admission-program.js';
import { admissionScope } from './admission-scope.js';
import { AskedAuthorizer } from './asked-authorizer.js';
import {
  COMPOSED_VARIABLE,
  ComposedValues,
  type ComposedVariable,
  composedScope,
  composedType,
} from './composition.js';

const turn = () => undefined;
const MUCH = 10_000_000;

/** Variables by name, over an object that is a list of so many numbers. */
function composed(
  expressions: Readonly<Record<string, string>>,
  size = 3,
  ask = async () => ({ allowed: true, reason: '' }),
) {
  const types = new Map<string, CelType>();
  const scope = composedScope(admissionScope(), types);
  const variables = new Map<string, ComposedVariable>();
  for (const [name, text] of Object.entries(expressions)) {
    const compiled = admissionProgram(text, LATER_ENVIRONMENT, scope, undefined);
    variables.set(name, { place: variables.size, compiled });
    types.set(name, composedType(compiled.type));
  }
  const asked = new AskedAuthorizer(ask);
  const numbers = jsonValue(Array.from({ length: size }, () => 1n));
  const bindings = new Map<string, Value>([
    ['object', numbers],
    ['authorizer', authorizerValue(asked.authorizer)],
  ]);
  const values = new ComposedValues(variables, bindings, asked);
  bindings.set(COMPOSED_VARIABLE, values);
  /** As an expression that reads it does. */
  const read = async (name: string) => {
    let value = await asked.settled(() => values.find(name));
    while (await values.settle(turn, MUCH)) value = await asked.settled(() => values.find(name));
    return value;
  };
  return { types, values, read };
}

test('types are those of the expressions; nothing is known of fields', () => {
  expect(composedType(listOf(mapOf(STRING, objectOf('x'))))).toEqual(listOf(mapOf(STRING, DYN)));
  expect([INT, objectOf('x'), optionalOf(INT), undefined].map(composedType)).toEqual([INT, DYN, DYN, DYN]);
  const { types } = composed({ a: '1', b: '[variables.a]', c: 'object.x', d: 'variables.nothing' });
  expect([...types]).toEqual([
    ['a', INT],
    ['b', listOf(INT)],
    ['c', DYN],
    ['d', DYN],
  ]);
});

test('a variable is computed when it is read, and once', async () => {
  const { values, read } = composed({ a: 'object.map(x, x + 1)', b: 'variables.a.size()', c: 'variables.a[9]' });
  expect(values.takeCost()).toBe(0);
  expect(await read('b')).toBe(3n);
  const cost = values.takeCost();
  expect(cost).toBeGreaterThan(10);
  expect(await read('b')).toBe(3n);
  expect(await read('a')).toBeDefined();
  expect(values.takeCost()).toBe(0);
  expect(await read('c')).toEqual(
    new Failure(`composited variable "c" fails to evaluate: index '9' out of range in list size '3'`),
  );
});

test('one that is wrong fails what reads it', async () => {
  const { read } = composed({ a: '1 + "a"', b: 'variables.a == 1' });
  expect(await read('a')).toBeInstanceOf(Failure);
  expect(((await read('b')) as Failure).message).toMatch(
    /^composited variable "b" fails to evaluate: composited variable "a" fails to compile: compilation failed: /,
  );
});

test('none sees itself or those behind it, whatever it calls them', async () => {
  const { read } = composed({ a: "dyn(variables)['a']", b: "dyn(variables)['c']", c: "dyn(variables)['b']" });
  for (const name of ['a', 'b', 'c']) expect(((await read(name)) as Failure).message).toContain('no such key: ');
  expect(await composed({ a: '1' }).read('b')).toBeUndefined();
});

test('a chain may be as long as it is, of expressions as deep as they may be', async () => {
  const deep = (inner: string) => `${'('.repeat(20)}${inner}${' + 1)'.repeat(20)}`;
  const expressions = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`v${at}`, at === 0 ? '0' : deep(`variables.v${at - 1}`)]),
  );
  expect(await composed(expressions).read('v299')).toBe(299n * 20n);
});

test('others have a turn between dear ones, which are computed all the same', async () => {
  const dear = (other: string) => `object.map(a, object.filter(b, a + b > 0)).size() + ${other}`;
  const { values, read } = composed({ a: dear('0'), b: dear('variables.a'), c: dear('variables.b') }, 150);
  expect(await read('c')).toBe(450n);
  const cost = values.takeCost();
  const { values: alone, read: readAlone } = composed({ a: dear('0') }, 150);
  await readAlone('a');
  const once = alone.takeCost();
  expect(once).toBeGreaterThan(100_000);
  // What was given up for a turn counts as well.
  expect(cost).toBeGreaterThanOrEqual(3 * once);
  expect(cost).toBeLessThan(6 * once);
});

test('what must not cost more is given up', async () => {
  const dear = 'object.map(a, object.filter(b, a + b > 0)).size()';
  const { values } = composed(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`v${at}`, dear])), 150);
  for (let at = 0; at < 9; at++) values.find(`v${at}`);
  expect(await values.settle(turn, 1)).toBe(true);
  expect(values.takeCost()).toBeLessThan(1_000_000);
});

test('a value that waits for an answer is none', async () => {
  let asked = 0;
  const ask = async () => {
    asked++;
    return { allowed: true, reason: '' };
  };
  const may = "authorizer.path('/a').check('get').allowed()";
  const { read, values } = composed({ a: may, b: 'variables.a && variables.a' }, 3, ask);
  expect(values.find('b')).toBeInstanceOf(Failure);
  expect(await read('b')).toBe(true);
  expect(asked).toBe(1);
});

test('a chain costs what its links do, however long it is', async () => {
  const costOf = async (length: number) => {
    const link = (at: number) => (at === 0 ? '0' : `variables.v${at - 1} + 1`);
    const { read, values } = composed(Object.fromEntries(Array.from({ length }, (_, at) => [`v${at}`, link(at)])));
    expect(await read(`v${length - 1}`)).toBe(BigInt(length - 1));
    return values.takeCost();
  };
  const [short, long] = [await costOf(200), await costOf(2_000)];
  expect(long / short).toBeLessThan(15);
});
