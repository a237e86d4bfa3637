import { type ApiObject, copy, namesOf, validateObjectMeta } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { definitionOf } from '../testing/definition-of.js';
import { through } from '../testing/through.js';
import { vectorsOf } from '../testing/vectors.js';
import { kindRules } from './registry.js';

/**
 * A manifest, and what the release says of it: strategies and validation of 1.27.16, each cause once. Those of the groups
 * `apiregistration` and `apiextensions`, of admission policies and of `events.k8s.io` are this server's own answers, which are not
 * compared with it.
 */
interface Vector {
  readonly apiVersion: string;
  readonly kind: string;
  /** Without type. */
  readonly object: ApiObject;
  /** `field reason message`, sorted. */
  readonly refused: readonly string[];
}

const vectors = vectorsOf<Vector>('reference-refusals.jsonl', import.meta.url);

const names = namesOf('kubernetes');
const { resources } = loadScheme(names);

const groupOf = (apiVersion: string): string => apiVersion.split('/').slice(0, -1).join('/');

function refusals({ apiVersion, kind, object: sent }: Vector): string[] {
  const definition = definitionOf(resources, { apiVersion, kind });
  const rules = kindRules(definition, names);
  const { namespaced } = definition;
  const object = copy(sent);
  object.metadata = { ...object.metadata, uid: 'u', ...(namespaced && { namespace: 'default' }) };
  applyDefaults(definition.schema, object);
  rules.defaults(object);
  rules.prepareForCreate(object, through());
  const errors = [
    validateObjectMeta(object.metadata, { namespaced, nameRule: rules.nameRule, path: 'metadata' }),
    rules.validateServed(object),
    ...rules.validateCreate(object),
  ].flat();
  return [...new Set(errors.map(({ field, reason, message }) => `${field} ${reason} ${message}`))].sort();
}

describe('what the release refuses', () => {
  it.each(vectors.map((vector) => [`${vector.kind} ${JSON.stringify(vector.object)}`, vector] as const))(
    '%s',
    (_, vector) => {
      expect(refusals(vector)).toEqual(vector.refused);
    },
  );
});

describe('every built-in kind has manifests that are refused', () => {
  const kinds = new Map(resources.filter(({ stored }) => stored).map(({ group, kind }) => [`${group}/${kind}`, kind]));

  it.each([...kinds.keys()])('%s', (id) => {
    const of = vectors.filter(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}` === id);
    expect(of.length).toBeGreaterThan(0);
    for (const { refused } of of) expect(refused.length).toBeGreaterThan(0);
  });
});
