import type { CustomResourceDefinition } from '@orch/schema/types/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { triedKind } from '../testing/refusals.js';
import { withFeatures } from '../testing/settings.js';
import type { Json } from '../values/fields.js';
import { schemasOf } from './version-validation.js';

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
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
    withFeatures({ LaterExpressions: on }),
  );
const [later, former] = [definition(true), definition(false)];

const SCHEMA = 'spec.versions.0.schema.openAPIV3Schema';
const withRules = (...rules: Json[]) => ({
  [`${SCHEMA}.properties`]: { a: { type: 'string', maxLength: 9 } },
  [`${SCHEMA}.x-kubernetes-validations`]: rules,
});
const rulesOf = (definition: object): unknown =>
  schemasOf((definition as CustomResourceDefinition).spec)[0]?.['x-kubernetes-validations'];
const PATH = 'spec.validation.openAPIV3Schema.x-kubernetes-validations[0]';
const heads = (errors: string[]): string[] => errors.map((error) => error.split('\n')[0] as string);

describe('expressions of later releases', () => {
  it.each([
    ["self.?a.orValue('') == ''", 'Syntax error: '],
    ['[1].all(i, v, i == 0)', "undeclared reference to 'all' (in container '')"],
    ['format.dns1123Label().validate(self.a).hasValue()', "undeclared reference to 'format' (in container '')"],
    ["'%s'.format(['a']) == 'a'", "undeclared reference to 'format' (in container '')"],
    ["isSemver('1.0.0')", "undeclared reference to 'isSemver' (in container '')"],
    ["quantity('1').isInteger()", "undeclared reference to 'quantity' (in container '')"],
  ])('are known with the gate, and unknown without it: %s', (rule, why) => {
    expect(later.created(withRules({ rule }))).toEqual([]);
    const reported = former.created(withRules({ rule }));
    expect(reported).toHaveLength(1);
    expect(reported[0]).toContain(`${PATH}.rule: `);
    expect(reported[0]).toContain(why);
  });

  it('may stay without the gate where they are stored, in any rule', () => {
    const rule = "isSemver('1.0.0')";
    const stored = later.stored(withRules({ rule, messageExpression: "'%s'.format(['a'])" }));
    const moved = former.rewritten(stored, withRules({ rule: 'true' }, { rule, message: 'a version' }));
    expect(former.refusedOf(moved, stored)).toEqual([]);
    const more = former.rewritten(stored, withRules({ rule: `!${rule}` }));
    expect(heads(former.refusedOf(more, stored))).toHaveLength(1);
  });
});

describe('fields of rules that came later', () => {
  const rule = { rule: 'oldSelf.hasValue()', reason: 'FieldValueForbidden', fieldPath: '.a', optionalOldSelf: true };

  it('are kept with the gate, and dropped without it unless they are in use', () => {
    expect(rulesOf(later.stored(withRules(rule)))).toMatchObject([rule]);
    const dropped = former.stored(withRules({ ...rule, rule: 'true' }));
    expect(JSON.stringify(dropped)).not.toMatch(/fieldPath|optionalOldSelf|FieldValueForbidden/);
    const stored = later.stored(withRules(rule));
    expect(rulesOf(former.rewritten(stored, withRules({ ...rule, message: 'new' })))).toMatchObject([rule]);
  });

  it.each<[Json, string]>([
    [
      { reason: 'Whatever' },
      'reason: Unsupported value: "Whatever": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
    [{ fieldPath: '.b' }, 'fieldPath: Invalid value: ".b": must be a valid path'],
    [{ fieldPath: 'a' }, 'fieldPath: Invalid value: "a": must be a valid path'],
    [
      { optionalOldSelf: false },
      'optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule',
    ],
  ])('are refused where they say nothing right: %j', (more, error) => {
    expect(later.created(withRules({ rule: 'true', ...more }))).toEqual([`${PATH}.${error}`]);
  });
});
