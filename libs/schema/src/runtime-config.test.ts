import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { deprecationWarning, isDeprecated, isLater } from './deprecation.js';
import { parseRuntimeConfig, RuntimeConfigError, type ServedBy, selectServed } from './runtime-config.js';
import { loadScheme } from './scheme.js';

const scheme = loadScheme(namesOf('orch'));

const select = (text: string, by?: ServedBy) => selectServed(scheme.resources, parseRuntimeConfig(text.split(',')), by);

const served = (text: string, by?: ServedBy): readonly string[] =>
  select(text, by).resources.map(({ group, version, resource }) => `${group}/${version}/${resource}`);

const ALL_FEATURES = { enabled: () => true };

describe('selectServed', () => {
  it('serves what is served by default', () => {
    const names = served('');
    expect(names).toContain('/v1/pods');
    expect(names).toContain('flowcontrol.apiserver.orch.io/v1beta2/flowschemas');
    expect(names).not.toContain('resource.orch.io/v1alpha2/resourceclaims');
    expect(names).not.toContain('authentication.orch.io/v1beta1/selfsubjectreviews');
  });

  it('turns levels on and off', () => {
    const all = scheme.resources.filter(({ lifecycle }) => !isLater(lifecycle));
    expect(served('api/all=true', { features: ALL_FEATURES }).length).toBe(all.length);
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

  it('serves what came after the release where nothing else could be meant', () => {
    const group = 'admissionregistration.orch.io';
    const later = (text: string, by?: ServedBy) =>
      served(text, by).filter((name) => /^admissionregistration.*\/validatingadmission/.test(name));
    for (const text of ['', 'api/all=true,api/alpha=false', 'api/ga=true', 'api/beta', `${group}/v1=true`])
      expect(later(text)).toEqual([]);
    const policies = `${group}/v1/validatingadmissionpolicies`;
    const bindings = `${group}/v1/validatingadmissionpolicybindings`;
    expect(later(`${policies},${bindings}=true`)).toEqual([policies, bindings].toSorted());
    expect(later(`${group}/v1beta1=true`)).toHaveLength(2);
    expect(later(`${group}/v1beta1=true,${group}/v1beta1/validatingadmissionpolicies=false`)).toHaveLength(1);
    const features = { enabled: (name: string) => name !== 'LaterExpressions' };
    expect(later(policies, { features })).toEqual([]);
    expect(select(policies, { features }).warnings).toEqual([
      `${policies} is not served: the feature LaterExpressions is off`,
    ]);
    expect(served(`${group}/v1=false,${policies}`)).not.toContain(`${group}/v1/validatingwebhookconfigurations`);
  });

  it('lets levels that are said together take effect in one order, however they are written', () => {
    for (const text of ['api/all=false,api/beta=true', 'api/beta=true,api/all=false']) {
      expect(served(text).every((name) => name.includes('beta'))).toBe(true);
      expect(served(text)).toContain('authentication.orch.io/v1beta1/selfsubjectreviews');
    }
    expect(served('api/ga=false,api/alpha=true').filter((name) => name.includes('/v1/'))).toEqual([]);
    expect(served('api/all=false,v1=true,api/ga=false')).toContain('/v1/pods');
  });

  it('takes the later of two items', () => {
    expect(served('batch/v1=false,batch/v1=true')).toContain('batch/v1/jobs');
  });

  it.each([
    ['batch/v9', 'group version batch/v9 that has not been registered'],
    ['batch/v9/jobs=false', 'group version batch/v9 that has not been registered'],
    ['nothing.example.test/v1,a.test/v1=false', 'unknown api groups nothing.example.test,a.test'],
    ['batch', 'invalid key batch'],
    ['a/v1/b/c', 'invalid key a/v1/b/c'],
    [
      'batch/v1/Jobs',
      'invalid key batch/v1/Jobs: group/version/resource and resource is always lowercase plural, not "Jobs"',
    ],
    ['api/gamma', 'unknown api groups api'],
    ['api/legacy', 'unknown api groups api'],
    ['batch/v1=maybe', 'invalid value batch/v1=maybe'],
    ['api/ga=maybe', 'invalid value api/ga=maybe'],
    ['api/all=false', 'invalid key with only api/all=false'],
  ])('refuses %s', (text, why) => {
    expect(() => served(text)).toThrow(new RuntimeConfigError(why));
  });

  it('takes what does nothing, and says so', () => {
    expect(select('batch/v1/nothing').warnings).toEqual(['nothing is served as batch/v1/nothing in this release']);
    const wasServed = (apiVersion: string) => apiVersion === 'extensions/v1beta1';
    const { warnings, resources } = select('extensions/v1beta1', { wasServed });
    expect(warnings).toEqual(['nothing is served as extensions/v1beta1 in this release']);
    expect(resources).toEqual(select('').resources);
  });

  it('serves what comes with a feature only with it', () => {
    const bundles = 'certificates.orch.io/v1alpha1/clustertrustbundles';
    const { resources, warnings } = select('certificates.orch.io/v1alpha1');
    expect(resources.map(({ resource }) => resource)).not.toContain('clustertrustbundles');
    expect(warnings).toEqual([`${bundles} is not served: the feature ClusterTrustBundle is off`]);
    expect(served('certificates.orch.io/v1alpha1', { features: ALL_FEATURES })).toContain(bundles);
    expect(select('').warnings).toEqual([]);
  });

  it.each([
    ['1.28', ['v1beta2', 'v1beta3']],
    ['1.29', ['v1beta3']],
    ['1.31', ['v1beta3']],
    ['1.32', []],
  ])('of a release %s serves what is not removed by then, whatever is asked for', (release, left) => {
    const versions = served('api/all=true', { release }).filter((name) => name.endsWith('/flowschemas'));
    expect(versions.map((name) => name.split('/')[1]).sort()).toEqual(left);
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
