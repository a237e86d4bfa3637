import { type ApiObject, namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { decimalOf } from './amounts.js';
import { Evaluators } from './evaluator.js';
import { readLimitedResources, shownScopes, uncoveredNames, uncoveredScopes } from './limited-resources.js';
import { exceededText } from './refusals.js';
import { difference, isUncounted, sameTerms, termsOf } from './terms.js';

const PODS = { group: '', resource: 'pods' };
const evaluator = new Evaluators(namesOf('kubernetes')).of(PODS);
if (!evaluator) throw new Error('pods are counted');

const quota = (hard: object, spec: object = {}, used: object = {}) =>
  ({ metadata: { name: 'q' }, spec: { hard, ...spec }, status: { hard, used } }) as ApiObject;
const pod = (cpu: string, more: object = {}) =>
  ({ spec: { containers: [{ name: 'a', resources: { requests: { cpu } } }], ...more } }) as ApiObject;

describe('a quota', () => {
  it('is charged what a write changes of what it counts', () => {
    const terms = termsOf(quota({ pods: '1', 'requests.cpu': '1' }));
    const change = (before?: ApiObject, after?: ApiObject) =>
      Object.fromEntries(
        [...difference(terms, evaluator, before, after)].map(([name, nanos]) => [name, decimalOf(nanos)]),
      );
    expect(change(undefined, pod('1500m'))).toEqual({ pods: '1', 'requests.cpu': '1.5' });
    expect(change(pod('1500m'))).toEqual({ pods: '-1', 'requests.cpu': '-1.5' });
    expect(change(pod('1'), pod('1'))).toEqual({});
    const ended = { ...pod('1'), status: { phase: 'Failed' } } as ApiObject;
    expect(change(pod('1'), ended)).toEqual({ pods: '-1', 'requests.cpu': '-1' });
  });

  it('gives back what leaves its scope', () => {
    const terms = termsOf(quota({ pods: '1' }, { scopes: ['NotTerminating'] }));
    expect([...difference(terms, evaluator, pod('1'), pod('1', { activeDeadlineSeconds: 5 }))]).toEqual([
      ['pods', -1_000_000_000n],
    ]);
  });

  it('counts the same whatever the amounts, and other things in another scope', () => {
    expect(sameTerms(termsOf(quota({ pods: '1' })), termsOf(quota({ pods: '2' })))).toBe(true);
    expect(sameTerms(termsOf(quota({ pods: '1' })), termsOf(quota({ cpu: '1' })))).toBe(false);
    expect(sameTerms(termsOf(quota({ pods: '1' })), termsOf(quota({ pods: '1' }, { scopes: ['BestEffort'] })))).toBe(
      false,
    );
  });

  it('is uncounted while its status lacks an amount, or limits something else', () => {
    expect(isUncounted(quota({ pods: '1' }))).toBe(true);
    expect(isUncounted(quota({ pods: '1' }, {}, { pods: '0' }))).toBe(false);
    expect(isUncounted(quota({ pods: '1' }, { hard: { pods: '2' } }, { pods: '0' }))).toBe(true);
    expect(isUncounted(quota({ pods: '1k' }, { hard: { pods: '1000' } }, { pods: '0' }))).toBe(false);
  });

  it('tells what is exceeded, and that nobody has counted', () => {
    const text = (used: string | undefined) =>
      exceededText(
        'q',
        [
          { amount: 'requests.memory', limit: '2147483648', ...(used !== undefined && { used }) },
          { amount: 'cpu', limit: '1.5', used: '0.7' },
        ],
        { cpu: '1', 'requests.memory': '1073741824' },
        ['requests.memory', 'cpu'],
        (name) => name.endsWith('memory'),
      );
    expect(text('1536')).toBe(
      'exceeded quota: q, requested: cpu=1,requests.memory=1Gi, used: cpu=700m,requests.memory=1536, limited: cpu=1500m,requests.memory=2Gi',
    );
    expect(text(undefined)).toBe('status unknown for quota: q, resources: cpu,requests.memory');
  });
});

describe('limited resources', () => {
  const limited = readLimitedResources({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'ResourceQuotaConfiguration',
    limitedResources: [
      {
        resource: 'pods',
        matchContains: ['requests.'],
        matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
      },
    ],
  });

  it('must be covered by a quota', () => {
    const uncovered = (...quotas: ApiObject[]) =>
      uncoveredNames(limited, PODS, evaluator, pod('1'), quotas.map(termsOf));
    expect(uncovered()).toEqual(['requests.cpu']);
    expect(uncovered(quota({ 'requests.cpu': '1' }, { scopes: ['BestEffort'] }))).toEqual(['requests.cpu']);
    expect(uncovered(quota({ 'requests.cpu': '1' }))).toEqual([]);
  });

  it('may be scopes', () => {
    const high = pod('1', { priorityClassName: 'high' });
    const selecting = (values: string[]) =>
      termsOf(
        quota(
          { pods: '1' },
          { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values }] } },
        ),
      );
    expect(shownScopes(uncoveredScopes(limited, evaluator, high, [selecting(['low'])]))).toBe(
      '[{PriorityClass In [high]}]',
    );
    expect(uncoveredScopes(limited, evaluator, high, [selecting(['high'])])).toEqual([]);
    expect(uncoveredScopes(limited, evaluator, pod('1'), [])).toEqual([]);
  });

  it.each([
    [{ apiVersion: 'v1', kind: 'ResourceQuotaConfiguration' }, 'unknown apiVersion: v1'],
    [{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'Other' }, 'unknown kind: Other'],
    [
      { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', limitedResources: [{}] },
      'limitedResources[0].resource: Required value',
    ],
    [{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', more: 1 }, 'unknown fields: more'],
  ])('are refused as %o', (configuration, problem) => {
    expect(() => readLimitedResources(configuration)).toThrow(problem);
  });
});
