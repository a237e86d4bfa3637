import { type ApiObject, type FieldError, namesOf } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';
import { type Changes, triedKind } from '../testing/refusals.js';
import { through } from '../testing/through.js';
import { vectorsOf } from '../testing/vectors.js';
import { PatternCheck } from './pattern-check.js';

/** A definition, or an update of one, and what the release says to it: reason, field, and the end of the message. */
interface Vector {
  readonly id: string;
  readonly definition: ApiObject;
  readonly previous?: ApiObject;
  readonly errors: readonly (readonly [reason: string, field: string, detail: string])[];
}

const names = namesOf('kubernetes');
const declared = loadScheme(names).resource('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
if (!declared) throw new Error('no definitions');
const { schema } = declared;
const rules = kindRules(declared, names);
const vectors = vectorsOf<Vector>('definition-vectors.jsonl', import.meta.url);

function filled(object: ApiObject): ApiObject {
  applyDefaults(schema, object);
  rules.defaults(object);
  return object;
}

function refusals({ definition, previous }: Vector): FieldError[] {
  const object = filled(definition);
  if (previous === undefined) {
    rules.prepareForCreate(object, through());
    return [...rules.validateCreate(object)].flat();
  }
  const old = filled(previous);
  rules.prepareForUpdate(object, old, through());
  return [...rules.validateUpdate(object, old)].flat();
}

describe('definitions as the release judges them', () => {
  it.each(vectors.map((vector) => [vector.id, vector] as const))('%s', (_id, vector) => {
    const left = refusals(vector);
    const missing = vector.errors.filter(([reason, field, detail]) => {
      const at = left.findIndex(
        (error) => error.reason === reason && error.field === field && error.message.endsWith(detail),
      );
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    expect({ missing, more: left }).toEqual({ missing: [], more: [] });
  });

  it('are many, refused and not', () => {
    expect(vectors.length).toBeGreaterThan(150);
    expect(vectors.filter(({ errors }) => errors.length === 0).length).toBeGreaterThan(30);
  });
});

const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const definition = triedKind('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', {
  metadata: { name: 'things.example.test' },
  spec: {
    group: 'example.test',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version],
  },
});
const withSchema = (openAPIV3Schema: object): Changes => ({ 'spec.versions.0.schema': { openAPIV3Schema } });

describe('a definition', () => {
  it('reports names that can be ones', () => {
    expect(definition.created()).toEqual([]);
    expect(definition.updated({}, { 'status.acceptedNames': { plural: 'A', kind: 'K' } }, 'status')).toEqual([
      expect.stringMatching(/^status\.acceptedNames\.plural: Invalid value: "A": a DNS-1035 label/),
    ]);
  });

  it('is looked into in time that grows with its size', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'odd', uniqueItems: true }]),
    );
    expect(definition.created(withSchema({ type: 'object', properties })).length).toBe(40_000);
  });

  it('is looked into however deep it is', () => {
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 60; depth++) deep = { type: 'object', properties: { a: deep } };
    expect(definition.created(withSchema(deep))).toEqual([]);
  });
});

describe('a regular expression', () => {
  const patternError = (pattern: string) => new PatternCheck().faultOf(pattern);

  it.each([
    '',
    '^[a-z]+$',
    '(?i)abc',
    '(?P<name>a)',
    '[[:alpha:]_]',
    String.raw`\pL\p{Greek}\z`,
    String.raw`\Q[\E`,
    String.raw`a\\1`,
    String.raw`^\d{1,3}\.\w*\b$`,
  ])('may be %j', (pattern) => {
    expect(patternError(pattern)).toBeUndefined();
  });

  it('may not be one that no object is matched with: as long as a body', () => {
    expect(patternError('(a+)+'.repeat(500_000))).toBe('takes more than 20000 steps to match');
  });

  it('may not be one of very many that take long together', () => {
    const patterns = new PatternCheck();
    const faults = Array.from({ length: 60 }, (_, at) => patterns.faultOf(`${at}${'[a-z]{999}'.repeat(10)}`));
    expect(faults.slice(0, 39)).toEqual(Array(39).fill(undefined));
    expect(faults.at(-1)).toBe('the patterns of a definition take more than 400000 steps');
  });

  describe.each([
    ['too heavy for a new one', '(a+)+'.repeat(5_000)],
    ['none at all', '['],
  ])('that is stored and %s', (_what, pattern) => {
    const schemaOf = (...patterns: string[]) => {
      const properties = Object.fromEntries(patterns.map((each, at) => [`p${at}`, { type: 'string', pattern: each }]));
      return withSchema({ type: 'object', properties });
    };

    it('keeps nobody from changing the rest', () => {
      const stored = schemaOf(pattern);
      expect(definition.created(stored)).toHaveLength(1);
      expect(definition.updated(stored, schemaOf(pattern, 'new'))).toEqual([]);
    });

    it('lets no other in that is like it', () => {
      const reported = definition.updated(schemaOf(pattern), schemaOf(pattern, `${pattern}[`));
      expect(reported).toEqual([expect.stringMatching(/properties\[p1\]\.pattern: Invalid value/)]);
    });
  });

  it('does not decide whether a definition of old has structure, and so may lose it', () => {
    const old = { 'spec.preserveUnknownFields': true };
    const stored = { type: 'object', properties: { a: { type: 'string', pattern: '[' } } };
    const untyped = { ...stored, properties: { ...stored.properties, b: {} } };
    const reported = definition.updated({ ...old, ...withSchema(stored) }, { ...old, ...withSchema(untyped) });
    expect(reported).toEqual([expect.stringMatching(/properties\[b\]\.type: Required value/)]);
  });

  it.each(['[', '[:a', '[\\\\', '[^'])('may open very many classes and close none: %j', (open) => {
    expect(patternError(open.repeat(20))).toMatch(/missing closing ]/);
    expect(patternError(open.repeat(200_000))).toMatch(/missing closing ]|more than 20000 steps/);
  });

  it.each([
    ['[', 'missing closing ]: `[`'],
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    [String.raw`(a)\1`, 'invalid escape sequence: `\\1`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['[[:bogus:]]', 'invalid character class range: `[:bogus:]`'],
    [String.raw`\p{Bogus}`, 'invalid character class range: `\\p{Bogus}`'],
    ['(a{100}){100}', 'invalid repeat count: `{100}`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['a**', 'invalid nested repetition operator: `**`'],
  ])('may not be %j', (pattern, text) => {
    expect(patternError(pattern)).toBe(`error parsing regexp: ${text}`);
  });
});
