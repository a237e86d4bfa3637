import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';
import { vectorsOf } from '../testing/vectors.js';
import type { Json } from '../values/fields.js';
import { brokenRules, defaultsOf } from './default-validation.js';
import { schemaStrictness, validateSchema } from './schema-validation.js';
import { asEmbedded } from './schema-walk.js';

/** The schema of a definition, and what the release says to it: reason, field, and the end of the message. */
interface Vector {
  readonly id: string;
  readonly schema: Json;
  readonly errors: readonly (readonly [reason: string, field: string, detail: string])[];
}

const ROOT = 'spec.validation.openAPIV3Schema';
const RULES = 'x-kubernetes-validations';

const judged = (schema: Json) => [...validateSchema(schema, ROOT, false, schemaStrictness([schema], [], false, false))];
const reported = (schema: Json): string[] =>
  judged(schema)
    .flat()
    .map(({ field, message }) => `${field.slice(ROOT.length)}: ${message.split('\n')[0]}`);
const whole = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const rules = (...texts: string[]): Json => ({ [RULES]: texts.map((rule) => ({ rule })) });

/** After its first fault the reference's parser goes on and finds more; ours tells the first. */
const ONLY_FIRST_FAULT = new Set(['syntax/17', 'escape/7']);
const vectors = vectorsOf<Vector>('definition-rule-vectors.jsonl', import.meta.url).filter(
  ({ id }) => !ONLY_FIRST_FAULT.has(id),
);

describe('rules in definitions as the release judges them', () => {
  it.each(vectors.map((vector) => [vector.id, vector] as const))('%s', (_id, { schema, errors }) => {
    const left = judged(schema).flat();
    const missing = errors.filter(([reason, field, detail]) => {
      const at = left.findIndex(
        (error) => error.reason === reason && error.field === field && error.message.endsWith(detail),
      );
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    expect({ missing, more: left }).toEqual({ missing: [], more: [] });
  });

  it('are many, refused and not', () => {
    expect(vectors.filter(({ errors }) => errors.length > 0).length).toBeGreaterThan(150);
    expect(vectors.filter(({ errors }) => errors.length === 0).length).toBeGreaterThan(100);
  });
});

describe('rules of a schema', () => {
  const bad = { type: 'string', ...rules('self.size()') };

  it('are told after what else is wrong, and not where something is wrong in the schema or below it', () => {
    const schema = whole(
      {
        a: { type: 'object', properties: { x: { type: 'array', items: bad, uniqueItems: true } }, ...rules('1') },
        b: bad,
      },
      rules('2'),
    );
    const boolean = 'must evaluate to a bool';
    expect(reported(schema)).toEqual([
      expect.stringContaining('.properties[a].properties[x].uniqueItems: Forbidden'),
      expect.stringMatching(new RegExp(String.raw`^\.properties\[a\]\.properties\[x\]\.items\..*${boolean}`)),
      expect.stringMatching(new RegExp(String.raw`^\.properties\[b\]\..*${boolean}`)),
    ]);
  });

  it('are not judged beside a wrong default', () => {
    expect(reported(whole({ a: bad, b: { type: 'string', default: 1 } }))).toEqual([
      expect.stringContaining('.properties[b].default'),
    ]);
  });

  it('are judged a few at a time', () => {
    const schema = whole({}, rules(...Array.from({ length: 2000 }, (_, at) => `self.metadata.name != 'a${at}'`)));
    const steps = judged(schema);
    expect(steps.flat()).toEqual([]);
    expect(steps.length).toBeGreaterThan(20);
  });

  it('that repeat themselves in very many faults are not all told as a whole', () => {
    const faults = `[${Array.from({ length: 100 }, () => 'b').join()}] == []`;
    const errors = judged(whole({}, rules(...Array.from({ length: 500 }, () => faults)))).flat();
    expect(errors).toHaveLength(500);
    expect(errors.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThan(1_000_000);
  });
});

describe('each version', () => {
  const definition = triedKind('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', {
    metadata: { name: 'things.example.test' },
    spec: { group: 'example.test', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
  });
  const version = (name: string, rule: string): Json => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: whole({}, rules(rule)) },
  });
  const versions = (one: string, other: string): Changes => ({
    'spec.versions': [version('v1', one), version('v2', other)],
  });

  it('is judged by its own rules, when it is made and when it is changed', () => {
    const at = (index: number) =>
      expect.stringMatching(new RegExp(String.raw`^spec\.versions\[${index}\]\.schema\.openAPIV3Schema\..*bool`));
    expect(definition.created(versions('true', 'has(self.metadata)'))).toEqual([]);
    expect(definition.created(versions('1', '2'))).toEqual([at(0), at(1)]);
    expect(definition.updated(versions('true', 'false'), versions('true', '2'))).toEqual([at(1)]);
  });

  it('may keep rules that are wrong while its definition is not changed', () => {
    expect(definition.updated(versions('1', '2'), { 'metadata.labels': { a: 'b' } })).toEqual([]);
  });
});

describe('defaults and rules', () => {
  const number = (value: number, ...texts: string[]): Json => ({ type: 'integer', default: value, ...rules(...texts) });

  it('agree, those in them as well', () => {
    const object = { type: 'object', properties: { x: number(1, 'self < 5') }, default: { x: 7 } };
    expect(reported(whole({ a: number(3, 'self < 5'), b: number(5, 'self < 5'), c: object }))).toEqual([
      '.properties[b].default: Invalid value: "integer": failed rule: self < 5',
      '.properties[c].default.x: Invalid value: "integer": failed rule: self < 5',
    ]);
  });

  it('are compared as if the default had been there before', () => {
    expect(reported(whole({ a: number(3, 'self == oldSelf'), b: number(3, 'self != oldSelf') }))).toEqual([
      '.properties[b].default: Invalid value: "integer": failed rule: self != oldSelf',
    ]);
  });

  it('that cannot be read are told with the default', () => {
    expect(reported(whole({ a: number(3, 'self <') }))).toEqual([
      expect.stringContaining('.properties[a].default: Invalid value: "integer": rule compile error: Invalid'),
    ]);
  });

  it('see what every whole object has', () => {
    const object = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' } },
      ...rules("self.metadata.name == 'y'"),
    };
    expect(reported(whole({ a: object }))).toEqual([
      expect.stringContaining(
        '.properties[a].default: Invalid value: "object": failed rule: self.metadata.name == \'y\'',
      ),
    ]);
  });

  it('may cost only so much, all of a definition together', () => {
    const list = Array.from({ length: 200 }, (_, at) => at);
    const dear = {
      type: 'array',
      maxItems: 200,
      items: { type: 'integer' },
      default: list,
      ...rules('self.all(x, self.all(y, x == x && y == y))'),
    };
    const properties = Object.fromEntries(list.slice(0, 50).map((at) => [`p${at}`, dear]));
    expect(reported(whole(properties))).toEqual([
      expect.stringContaining('validation failed due to running out of cost budget'),
    ]);
  });

  it('are judged in steps', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [
        `p${at}`,
        number(at, ...Array.from({ length: 20 }, () => `self == ${at}`)),
      ]),
    );
    const root = asEmbedded(whole(properties));
    const steps = [...brokenRules(root, defaultsOf(root, ROOT), schemaStrictness([], [], false, false))];
    expect(steps.flat()).toEqual([]);
    expect(steps.length).toBeGreaterThan(1);
  });

  it('do not make texts without end', () => {
    const long = `('a' + string(x + y)).replace('', '${'c'.repeat(20_000)}')`;
    const list = {
      type: 'array',
      maxItems: 60,
      items: { type: 'integer' },
      ...rules(`self.all(x, self.all(y, ${long} != 'a'))`),
    };
    expect(reported(whole({ a: { ...list, default: Array.from({ length: 60 }, (_, at) => at) } }))).toEqual([
      expect.stringContaining('actual cost limit exceeded'),
    ]);
  });

  it.each([
    ['that is a constant', `self.matches('${'(?i)[a-\\\\x{FFFF}]'.repeat(40)}')`],
    ['that is a value', `self.matches(self)`],
  ])('do not read a pattern that takes too long to read, one %s', (_, rule) => {
    const text = { type: 'string', maxLength: 2000, default: '(?i)[a-\\x{FFFF}]'.repeat(40), ...rules(rule) };
    const [error, ...others] = reported(whole({ a: text }));
    expect(others).toEqual([]);
    expect(error).toMatch(/takes? more than 20000 steps|actual cost limit exceeded/);
  });
});
