import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { deprecationWarning, isDeprecated } from './deprecation.js';
import { parseRuntimeConfig, RuntimeConfigError, selectServed } from './runtime-config.js';
import { loadScheme } from './scheme.js';

const scheme = loadScheme(namesOf('orch'));

function served(text: string): readonly string[] {
  const resources = selectServed(scheme.resources, parseRuntimeConfig(text));
  return resources.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
}

describe('selectServed', () => {
  it('serves what is served by default', () => {
    const names = served('');
    expect(names).toContain('/v1/pods');
    expect(names).toContain('flowcontrol.apiserver.orch.io/v1beta2/flowschemas');
    expect(names).not.toContain('resource.orch.io/v1alpha2/resourceclaims');
    expect(names).not.toContain('authentication.orch.io/v1beta1/selfsubjectreviews');
  });

  it('turns levels on and off', () => {
    expect(served('api/all=true').length).toBe(scheme.resources.length);
    expect(served('api/alpha')).toContain('resource.orch.io/v1alpha2/resourceclaims');
    expect(served('api/alpha')).not.toContain('authentication.orch.io/v1beta1/selfsubjectreviews');
    expect(served('api/beta=false').filter((name) => name.includes('beta'))).toEqual([]);
    expect(served('api/all=false,api/ga=true')).toContain('/v1/pods');
  });

  it('turns group-versions and resources on and off, the narrower key winning', () => {
    expect(served('batch/v1=false')).not.toContain('batch/v1/jobs');
    expect(served('batch/v1/jobs=true,batch/v1=false').filter((name) => name.startsWith('batch/'))).toEqual([
      'batch/v1/jobs',
    ]);
    expect(served('resource.orch.io/v1alpha2')).toContain('resource.orch.io/v1alpha2/resourceclaims');
    expect(served('v1/secrets=false')).not.toContain('/v1/secrets');
    expect(served('api/v1=false').filter((name) => name.startsWith('/'))).toEqual([]);
  });

  it.each([
    'batch/v9',
    'nothing.example.test/v1',
    'batch/v1/nothing',
    'batch',
    'api/gamma',
    'a/v1/b/c',
    'batch/v1=maybe',
  ])('refuses %s', (text) => {
    expect(() => served(text)).toThrow(RuntimeConfigError);
  });
});

describe('deprecationWarning', () => {
  const find = (group: string, version: string, plural: string) => {
    const resource = scheme.resource(group, version, plural);
    if (!resource) throw new Error(`no ${plural}`);
    return resource;
  };

  it('names releases and replacement', () => {
    expect(deprecationWarning(find('flowcontrol.apiserver.orch.io', 'v1beta2', 'flowschemas'))).toBe(
      'flowcontrol.apiserver.orch.io/v1beta2 FlowSchema is deprecated in v1.26+, unavailable in v1.29+; use flowcontrol.apiserver.orch.io/v1beta3 FlowSchema',
    );
    expect(deprecationWarning(find('', 'v1', 'componentstatuses'))).toBe('v1 ComponentStatus is deprecated in v1.19+');
  });

  it('says nothing before the release', () => {
    const flowSchemas = find('flowcontrol.apiserver.orch.io', 'v1beta3', 'flowschemas');
    expect(deprecationWarning(flowSchemas)).toBeUndefined();
    expect(isDeprecated(flowSchemas.lifecycle, '1.29')).toBe(true);
    expect(deprecationWarning(find('', 'v1', 'pods'))).toBeUndefined();
  });
});
