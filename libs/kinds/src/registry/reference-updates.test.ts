import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { alignZeros, applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { definitionOf } from '../testing/definition-of.js';
import { through } from '../testing/through.js';
import { vectorsOf } from '../testing/vectors.js';
import { kindRules } from './registry.js';

/**
 * What the release says of a step from a stored object to another one, drawn at random: strategies and validation of 1.27.16, each
 * cause once.
 */
interface Vector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly subresource: string;
  /** Both without type. */
  readonly old: ApiObject;
  readonly object: ApiObject;
  /** `field reason message`, sorted. */
  readonly refused: readonly string[];
}

const vectors = vectorsOf<Vector>('reference-updates.jsonl', import.meta.url);
const names = namesOf('kubernetes');
const { resources } = loadScheme(names);

function refusals({ subresource, ...sent }: Vector): string[] {
  const definition = definitionOf(resources, sent);
  const rules = kindRules(definition, names);
  const [object, old] = [copy(sent.object), copy(sent.old)];
  for (const each of [object, old]) {
    applyDefaults(definition.schema, each);
    rules.defaults(each);
  }
  alignZeros(definition.schema, object, old);
  rules.prepareForUpdate(object, old, through(subresource));
  const errors = [
    ...rules.validateServedUpdate(object, old),
    ...[...rules.validateUpdate(object, old, subresource)].flat(),
  ];
  return [...new Set(errors.map(({ field, reason, message }) => `${field} ${reason} ${message}`.trimEnd()))].sort();
}

describe('what the release refuses of updates', () => {
  it.each(
    vectors.map((vector) => [`${vector.kind} ${vector.subresource} ${JSON.stringify(vector.object)}`, vector] as const),
  )('%s', (_, vector) => {
    expect(refusals(vector)).toEqual(vector.refused);
  });
});
