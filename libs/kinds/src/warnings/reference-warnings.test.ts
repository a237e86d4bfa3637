import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { alignZeros, applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';
import { definitionOf } from '../testing/definition-of.js';
import { through } from '../testing/through.js';
import { vectorsOf } from '../testing/vectors.js';

/** What the release (strategies of 1.27.16) has people hear of an object that it takes. */
interface Vector {
  readonly apiVersion: string;
  readonly kind: string;
  /** In an update; both without type. */
  readonly old?: ApiObject;
  readonly object: ApiObject;
  /** Sorted. */
  readonly warnings: readonly string[];
}

const vectors = vectorsOf<Vector>('reference-warnings.jsonl', import.meta.url);
const names = namesOf('kubernetes');
const { resources } = loadScheme(names);

function heard(sent: Vector): string[] {
  const definition = definitionOf(resources, sent);
  const rules = kindRules(definition, names);
  const [object, old] = [copy(sent.object), copy(sent.old)];
  for (const each of [object, old]) {
    if (!each) continue;
    applyDefaults(definition.schema, each);
    rules.defaults(each);
  }
  if (old) {
    alignZeros(definition.schema, object, old);
    rules.prepareForUpdate(object, old, through());
  } else rules.prepareForCreate(object, through());
  return rules.warnings(object, old).sort();
}

describe('what people hear of an object', () => {
  it.each(
    vectors.map(
      (vector) => [vector.kind, vector.old ? 'changed' : 'new', JSON.stringify(vector.object), vector] as const,
    ),
  )('%s, %s: %s', (_kind, _step, _object, vector) => {
    expect(heard(vector)).toEqual(vector.warnings);
  });
});
