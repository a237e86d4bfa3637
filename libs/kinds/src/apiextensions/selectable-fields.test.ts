import { describe, expect, it } from 'vitest';
import { triedKind } from '../testing/refusals.js';
import { withFeatures } from '../testing/settings.js';
import type { Json } from '../values/fields.js';

const definition = (on: boolean) =>
  triedKind(
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    {
      metadata: { name: 'things.example.test' },
      spec: {
        group: 'example.test',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOf() } }],
      },
    },
    withFeatures({ CustomResourceFieldSelectors: on }),
  );

function schemaOf(): Json {
  const named = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, { type: 'string' }]));
  const list = { type: 'array', items: { type: 'string' } };
  const labels = { type: 'object', additionalProperties: { type: 'integer' } };
  const spec = {
    type: 'object',
    properties: { color: { type: 'string' }, on: { type: 'boolean' }, list, labels, ...named },
  };
  return {
    type: 'object',
    properties: { spec, metadata: { type: 'object', properties: { name: { type: 'string' } } } },
  };
}

const FIELDS = 'spec.versions.0.selectableFields';
const paths = (...all: string[]) => ({ [FIELDS]: all.map((jsonPath) => ({ jsonPath })) });
const MISTYPED =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

describe('fields that field selectors can name', () => {
  const kind = definition(true);

  it('are texts, truth values and integers outside of the metadata', () => {
    expect(kind.created(paths('.spec.color', '.spec.on', '.spec.labels.app'))).toEqual([]);
  });

  it.each<[string[], string[]]>([
    [[''], ['[0].jsonPath: Required value']],
    [['spec.color'], ['[0].jsonPath: Invalid value: "spec.color": is an invalid path: expected [ or . but got: spec']],
    [
      ['.spec.nope'],
      ['[0].jsonPath: Invalid value: ".spec.nope": is an invalid path: does not refer to a valid field'],
    ],
    [
      [".spec['color']"],
      [`[0].jsonPath: Invalid value: ".spec['color']": is an invalid path: array notation is not allowed`],
    ],
    [['.spec.list'], [`[0].jsonPath: Invalid value: ".spec.list": ${MISTYPED}`]],
    [['.metadata.name'], ['[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata']],
    [['.spec.color', '.spec.color'], ['[1].jsonPath: Duplicate value: ".spec.color"']],
    [Array.from({ length: 9 }, (_, at) => `.spec.f${at}`), [': Too many: 9: must have at most 8 items']],
  ])('are refused: %j', (all, errors) => {
    expect(kind.created(paths(...all))).toEqual(errors.map((error) => `spec.selectableFields${error}`));
  });

  it('are dropped without the gate, unless they are in use', () => {
    const former = definition(false);
    expect(JSON.stringify(former.stored(paths('.spec.color')))).not.toContain('selectableFields');
    const stored = kind.stored(paths('.spec.color'));
    expect(JSON.stringify(former.rewritten(stored, paths('.spec.on')))).toContain('.spec.on');
  });
});
