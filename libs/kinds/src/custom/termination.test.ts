import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { approvalOf } from '../apiextensions/approval.js';
import { kindRules } from '../registry/registry.js';
import { STANDARD_SETTINGS } from '../rules/settings.js';
import { cleanupFinalizer } from './termination.js';

const rulesOf = (profile: 'orch' | 'kubernetes', customKinds: boolean) => {
  const names = namesOf(profile);
  const definition = loadScheme(names).resource(
    names.group('apiextensions.orch.io'),
    'v1',
    'customresourcedefinitions',
  );
  if (!definition) throw new Error('no definitions');
  return kindRules(definition, names, { ...STANDARD_SETTINGS, customKinds });
};
const deleted = (rest: ApiObject = {}): ApiObject => ({
  ...rest,
  metadata: { name: 'things.example.com', deletionTimestamp: '2026-01-01T00:00:00Z', ...rest.metadata },
});
const FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

describe('a definition that is deleted', () => {
  it('waits for its objects, and says so', () => {
    const object = deleted({ metadata: { finalizers: ['example.com/mine'] }, status: { conditions: null } });
    rulesOf('kubernetes', true).prepareForDelete(object, true);
    expect(object.metadata?.finalizers).toEqual(['example.com/mine', FINALIZER]);
    expect(object.status).toEqual({
      conditions: [
        {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
  });

  it('does so once', () => {
    const object = deleted({ metadata: { finalizers: ['example.com/mine'] } });
    rulesOf('kubernetes', true).prepareForDelete(object, false);
    expect(object).toEqual(deleted({ metadata: { finalizers: ['example.com/mine'] } }));
    const having = deleted({ metadata: { finalizers: [FINALIZER] } });
    rulesOf('kubernetes', true).prepareForDelete(having, true);
    expect(having.metadata?.finalizers).toEqual([FINALIZER]);
  });

  it('goes at once where no kinds are served of definitions', () => {
    const object = deleted();
    rulesOf('kubernetes', false).prepareForDelete(object, true);
    expect(object).toEqual(deleted());
  });

  it('names the finalizer as the installation is named', () => {
    expect(cleanupFinalizer(namesOf('orch'))).toBe('customresourcecleanup.apiextensions.orch.io');
  });
});

describe('approval of a definition', () => {
  const of = (group: string, note?: string) =>
    approvalOf({
      metadata: { ...(note !== undefined && { annotations: { 'api-approved.kubernetes.io': note } }) },
      spec: { group },
    });

  it.each([
    ['https://github.com/a/b', 'True', 'ApprovedAnnotation', 'approved in https://github.com/a/b'],
    ['unapproved, "x"', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, \\"x\\""'],
    [
      'nobody',
      'False',
      'InvalidAnnotation',
      'protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
    [
      undefined,
      'False',
      'MissingAnnotation',
      'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ])('with %s is %s: %s', (note, status, reason, message) => {
    const type = 'KubernetesAPIApprovalPolicyConformant';
    expect(of('x.k8s.io', note)).toEqual({ type, status, reason, message });
  });

  it('is asked for in groups of the project only', () => {
    expect(of('example.com')).toBeUndefined();
    expect(of('notk8s.io')).toBeUndefined();
    expect(of('kubernetes.io')).toBeDefined();
  });
});
