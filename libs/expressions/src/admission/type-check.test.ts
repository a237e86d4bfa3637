import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { LATER_ENVIRONMENT } from '../environment.js';
import { builtInSchema } from '../schema-types/built-in-schema.js';
import type { SchemaProps } from '../schema-types/structural-schema.js';
import { typedAdmissionScope, typeFaults } from './type-check.js';

const scheme = loadScheme(namesOf('kubernetes'));
const DEPLOYMENT = builtInSchema(scheme.struct('apps/v1.Deployment'));
const CONFIG_MAP = builtInSchema(scheme.struct('core/v1.ConfigMap'));

const faults = (text: string, params?: SchemaProps, object = DEPLOYMENT) =>
  typeFaults(text, LATER_ENVIRONMENT, typedAdmissionScope({ object, params }));

describe('types of expressions about writes', () => {
  it.each([
    "object.spec.replicas <= 5 && object.kind == 'Deployment'",
    "object.metadata.labels['a'] == 'b' && has(object.metadata.annotations)",
    'oldObject == null || oldObject.spec.replicas < object.spec.replicas',
    'object.spec.template.spec.containers.all(c, c.image.startsWith("x"))',
    "object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')",
    'object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == "10%"',
    "request.userInfo.groups.exists(g, g == 'a') && authorizer.path('/').check('get').allowed()",
    "quantity(object.spec.template.spec.containers[0].resources.limits['cpu']).isLessThan(quantity('1'))",
  ])('%s', (text) => {
    expect(faults(text)).toBeUndefined();
  });

  it('tell fields that there are not, and values of other types', () => {
    expect(faults('object.spec.nothing == 1')).toBe(
      "ERROR: <input>:1:12: undefined field 'nothing'\n | object.spec.nothing == 1\n | ...........^",
    );
    expect(faults("object.spec.replicas == 'a'")).toBe(
      "ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.replicas == 'a'\n | .....................^",
    );
  });

  it('of parameters are known, unknown, or there are none', () => {
    expect(faults("params.data['a'] == 'b'", CONFIG_MAP)).toBeUndefined();
    expect(faults('params.spec.a == 1', CONFIG_MAP)).toContain("undefined field 'spec'");
    expect(faults('params.spec.a == 1', {})).toBeUndefined();
    expect(faults('params.spec.a == 1')).toContain("undeclared reference to 'params'");
  });

  it('may hold themselves', () => {
    const definition = builtInSchema(scheme.struct('apiextensions/v1.CustomResourceDefinition'));
    const deep = 'object.spec.versions[0].schema.openAPIV3Schema.properties["a"].properties["b"].type == 1';
    expect(faults(deep, undefined, definition)).toContain("applied to '(string, int)'");
  });

  it('of objects of which nothing is known are any', () => {
    expect(faults('object.a.b == 1', undefined, {})).toBeUndefined();
  });
});
