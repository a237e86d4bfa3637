import { authenticated } from '@orch/authentication';
import { makeCertificateRequest } from '@orch/authentication/testing';
import type { Authorizer, RequestAttributes } from '@orch/authorization';
import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { Attributes, Target } from '../../attributes.js';
import { attributesOf, pluginOf } from '../../testing/index.js';

const user = authenticated({ name: 'jane', groups: [], extra: {} }, 'token').user;
const SIGNER = 'kubernetes.io/kubelet-serving';
const TARGET: Target = {
  operation: 'UPDATE',
  group: 'certificates.k8s.io',
  version: 'v1',
  resource: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  subresource: 'approval',
  namespace: '',
  name: 'a',
};
const APPROVED = { type: 'Approved', status: 'True' };
/** Allows what is listed as `verb name`, and notes what it was asked. */
function rights(...allowed: readonly string[]) {
  const asked: RequestAttributes[] = [];
  const authorizer: Authorizer = {
    async authorize(_user, request) {
      asked.push(request);
      const may = allowed.includes(`${request.verb} ${request.name}`);
      return { decision: may ? 'allow' : 'no-opinion', reason: '' };
    },
  };
  return { asked, authorizer };
}

const attributes = (changed: Partial<Attributes>): Attributes =>
  attributesOf({ ...TARGET, user, authorizer: rights().authorizer, ...changed });

/** The refusal of a plugin; undefined where it lets the write pass. */
async function refusalOf(name: string, changed: Partial<Attributes>): Promise<string | undefined> {
  const asked = attributes(changed);
  const plugin = pluginOf(name);
  expect(plugin.handles(asked)).toBe(true);
  try {
    await plugin.validate?.(asked);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 403, status: { reason: 'Forbidden' } });
    return (error as Error).message;
  }
}

const request = (signerName: string, status: object = {}) => ({
  metadata: { name: 'a' },
  spec: { signerName },
  status,
});
const FORBIDDEN = 'certificatesigningrequests.certificates.k8s.io "a" is forbidden:';

describe('CertificateApproval', () => {
  const decide = (authorizer: Authorizer, signerName = SIGNER) =>
    refusalOf('CertificateApproval', {
      authorizer,
      oldObject: request(signerName),
      object: request('example.com/other', { conditions: [APPROVED] }),
    });

  it.each([`approve ${SIGNER}`, 'approve kubernetes.io/*'])('passes with %s', async (right) => {
    expect(await decide(rights(right).authorizer)).toBeUndefined();
  });

  it.each(['approve example.com/other', 'approve kubernetes.io', 'approve */*', `sign ${SIGNER}`])(
    'is refused with %s alone',
    async (right) => {
      expect(await decide(rights(right).authorizer)).toBe(
        `${FORBIDDEN} user not permitted to approve requests with signerName "${SIGNER}"`,
      );
    },
  );

  it('asks for the resource signers, of the signer that is stored', async () => {
    const { asked, authorizer } = rights();
    await decide(authorizer);
    const about = { group: 'certificates.k8s.io', resource: 'signers', verb: 'approve', isResourceRequest: true };
    expect(asked).toMatchObject([
      { ...about, name: SIGNER },
      { ...about, name: 'kubernetes.io/*' },
    ]);
  });

  it('lets nobody in whom an authorizer cannot judge', async () => {
    const fails: Authorizer = { authorize: () => Promise.reject(new Error('down')) };
    expect(await decide(fails)).toContain('user not permitted');
  });

  it('has nothing to say of other writes', () => {
    const plugin = pluginOf('CertificateApproval');
    const others: Partial<Target>[] = [
      { operation: 'CREATE' },
      { operation: 'DELETE' },
      { subresource: 'status' },
      { subresource: '' },
      { group: 'example.com' },
      { resource: 'pods' },
    ];
    for (const other of others) expect(plugin.handles({ ...TARGET, ...other }), JSON.stringify(other)).toBe(false);
    const orch = pluginOf('CertificateApproval', { names: namesOf('orch') });
    expect(orch.handles({ ...TARGET, group: 'certificates.orch.io' })).toBe(true);
    expect(orch.handles(TARGET)).toBe(false);
  });
});

describe('CertificateSigning', () => {
  const write = (status: object, before: object, right = '') =>
    refusalOf('CertificateSigning', {
      subresource: 'status',
      authorizer: rights(right).authorizer,
      oldObject: request(SIGNER, before),
      object: request(SIGNER, status),
    });
  const FAILED = { type: 'Failed', status: 'True' };

  it.each<[string, object, object]>([
    ['a certificate', { certificate: 'YQ==' }, {}],
    ['another certificate', { certificate: 'YQ==' }, { certificate: 'Yg==' }],
    ['a condition', { conditions: [FAILED] }, {}],
    ['no condition any more', {}, { conditions: [FAILED] }],
  ])('refuses %s to who may not sign', async (_what, status, before) => {
    expect(await write(status, before)).toBe(
      `${FORBIDDEN} user not permitted to sign requests with signerName "${SIGNER}"`,
    );
    expect(await write(status, before, `sign ${SIGNER}`)).toBeUndefined();
    expect(await write(status, before, 'sign kubernetes.io/*')).toBeUndefined();
    expect(await write(status, before, `approve ${SIGNER}`)).toBeDefined();
  });

  it('lets writes pass that leave both as they are', async () => {
    const status = { certificate: 'YQ==', conditions: [APPROVED] };
    expect(await write(status, structuredClone(status))).toBeUndefined();
    expect(await write({ conditions: [] }, {})).toBeUndefined();
  });
});

describe('ClusterTrustBundleAttest', () => {
  const write = (signerName: string | undefined, right: string, operation: 'CREATE' | 'UPDATE' = 'CREATE') =>
    refusalOf('ClusterTrustBundleAttest', {
      operation,
      resource: 'clustertrustbundles',
      subresource: '',
      authorizer: rights(right).authorizer,
      object: { metadata: { name: 'a' }, spec: { ...(signerName !== undefined && { signerName }) } },
    });

  it('refuses a bundle of a signer to who may not attest for it', async () => {
    const refused =
      'clustertrustbundles.certificates.k8s.io "a" is forbidden: user not permitted to attest for signerName';
    expect(await write(SIGNER, `sign ${SIGNER}`)).toBe(`${refused} "${SIGNER}"`);
    expect(await write(SIGNER, `sign ${SIGNER}`, 'UPDATE')).toBe(`${refused} "${SIGNER}"`);
    expect(await write(SIGNER, `attest ${SIGNER}`)).toBeUndefined();
    expect(await write(SIGNER, 'attest kubernetes.io/*')).toBeUndefined();
    expect(await write(undefined, '')).toBeUndefined();
  });

  it('lets bundles go', () => {
    const plugin = pluginOf('ClusterTrustBundleAttest');
    const bundles = { ...TARGET, resource: 'clustertrustbundles', subresource: '' };
    expect(plugin.handles({ ...bundles, operation: 'DELETE' })).toBe(false);
  });
});

describe('CertificateSubjectRestriction', () => {
  const CLIENTS = 'kubernetes.io/kube-apiserver-client';
  const create = (pem: string, signerName = CLIENTS) =>
    refusalOf('CertificateSubjectRestriction', {
      operation: 'CREATE',
      subresource: '',
      object: { metadata: { name: 'a' }, spec: { signerName, request: Buffer.from(pem).toString('base64') } },
    });
  const asking = async (...organizations: readonly string[]) =>
    (await makeCertificateRequest({ commonName: 'jane', organizations })).request;

  it('refuses the group that may do everything, to the signer of clients alone', async () => {
    const masters = await asking('dev', 'system:masters');
    expect(await create(masters)).toBe(
      `${FORBIDDEN} use of ${CLIENTS} signer with system:masters group is not allowed`,
    );
    expect(await create(masters, SIGNER)).toBeUndefined();
    expect(await create(await asking('dev', 'system:master'))).toBeUndefined();
  });

  it('refuses what it cannot read', async () => {
    expect(await create('nothing')).toBe(
      `${FORBIDDEN} failed to parse CSR: PEM block type must be CERTIFICATE REQUEST`,
    );
  });
});
