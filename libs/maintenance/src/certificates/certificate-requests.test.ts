import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pluginOf } from '@orch/admission/testing';
import { authenticated, ensureSigningAuthority, type KeyPair, type UserInfo } from '@orch/authentication';
import { type AskedFor, makeCertificateRequest } from '@orch/authentication/testing';
import type { Authorizer, RequestAttributes } from '@orch/authorization';
import type { ReloadableCredentials } from '@orch/credentials';
import { inProcessBus, OrderedFeed } from '@orch/feed';
import type { SignerId } from '@orch/kinds';
import { type ApiObject, namesOf } from '@orch/machinery';
import { type Logger, Metrics, silentLogger } from '@orch/runtime';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import type { Pair } from '@orch/serving';
import type { ServingStore } from '@orch/storage';
import {
  controllerHost,
  MemoryStore,
  type RunningControllers,
  runControllers,
  type TestApi,
  testApi,
} from '@orch/testing';
import { ControllerClient, serverItself } from '@orch/writing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { certificateRequests } from './certificate-requests.js';

const names = namesOf('kubernetes');
const PLUGINS = ['CertificateApproval', 'CertificateSigning', 'CertificateSubjectRestriction'];
const RESOURCE = 'certificatesigningrequests';
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const NODE_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const NODE = { commonName: 'system:node:a', organizations: ['system:nodes'] };
const NODE_USAGES = ['digital signature', 'client auth'];
const HOUR = 3_600_000;

let dir: string;
let authority: KeyPair;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'certificate-requests-'));
  authority = await ensureSigningAuthority({ certDir: dir });
});
afterAll(() => rm(dir, { recursive: true }));

let api: TestApi;
let requests: RunningControllers;
let make: () => Promise<RunningControllers>;
let signers: Map<SignerId, Pair>;
let taken: Set<() => void>;
const onTaken = () => {
  for (const listener of taken) listener();
};
let asked: [UserInfo, RequestAttributes][];
let rights: Set<string>;
let errors: unknown[];
let metrics: Metrics;

beforeEach(async () => {
  const store = new MemoryStore();
  const plugins = PLUGINS.map((name) => pluginOf(name, { names }));
  api = await testApi({}, 'kubernetes', store, {}, plugins);
  const bus = inProcessBus();
  store.onCommit((changes) => bus.publish(changes));
  const feed = new OrderedFeed({ source: store, bus });
  signers = new Map([
    ['kube-apiserver-client', authority],
    ['kubelet-client', authority],
  ]);
  taken = new Set();
  asked = [];
  rights = new Set();
  errors = [];
  metrics = new Metrics();
  const authorizer: Authorizer = {
    async authorize(user, request) {
      asked.push([user, request]);
      return { decision: rights.has(request.subresource) ? 'allow' : 'no-opinion', reason: '' };
    },
  };
  const credentials = {
    get current() {
      return { signing: { signers, believed: [] } } as unknown as ReloadableCredentials['current'];
    },
    onTaken(callback: (set: ReloadableCredentials['current']) => unknown) {
      const listener = () => void callback(credentials.current);
      taken.add(listener);
      return () => taken.delete(listener);
    },
  };
  const logger: Logger = { ...silentLogger, error: (_text, error) => errors.push(error) };
  make = () => {
    const group = certificateRequests({
      ...{ deps: api.deps, store: store as unknown as ServingStore, feed, credentials, authorizer },
      client: new ControllerClient(controllerHost(api), 'certificate-controller'),
      ...{ leads: () => true, longest: 24 * HOUR, metrics, logger },
    });
    if (!group) throw new Error('certificate requests are not served');
    return runControllers(group, { onError: (error) => void errors.push(error) });
  };
  requests = await make();
});
afterEach(async () => {
  await requests.stop();
  api.close();
  expect(errors).toEqual([]);
});

const jane = authenticated({ name: 'jane', groups: ['dev'], extra: { a: ['b'] } }, 'token').user;

async function ask(
  name: string,
  spec: object,
  subject: { commonName: string; organizations?: string[] } = { commonName: 'jane' },
  { user = jane, ...more }: AskedFor & { user?: UserInfo } = {},
): Promise<void> {
  const { request } = await makeCertificateRequest(subject, more);
  const object = {
    metadata: { name },
    spec: { request: Buffer.from(request).toString('base64'), signerName: CLIENT, usages: ['client auth'], ...spec },
  };
  const create = api.request('CREATE', RESOURCE, name, { caller: { ...serverItself(), user } });
  await api.deps.pipeline.write(create, { create: () => object as ApiObject });
}

async function approve(name: string): Promise<void> {
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Seen', message: '' }];
  const request = api.request('UPDATE', RESOURCE, name, { subresource: 'approval' });
  await api.deps.pipeline.write(request, { change: (current) => ({ ...current, status: { conditions } }) });
}

const stored = (name: string) => api.stored(RESOURCE, name) as CertificateSigningRequest | undefined;
const conditionsOf = (name: string) => stored(name)?.status?.conditions ?? [];
async function certificateOf(name: string): Promise<X509Certificate> {
  await expect.poll(() => stored(name)?.status?.certificate).toBeTypeOf('string');
  return new X509Certificate(Buffer.from(stored(name)?.status?.certificate ?? '', 'base64'));
}

const hours = ({ validFrom, validTo }: X509Certificate) => (Date.parse(validTo) - Date.parse(validFrom)) / HOUR;

describe('an approved request', () => {
  it.each<[string, object, number]>([
    ['as long as certificates may be at most', {}, 24],
    ['as long as was asked', { expirationSeconds: 12 * 3600 }, 12],
    ['no longer than certificates may be', { expirationSeconds: 48 * 3600 }, 24],
    ['a little more than what was asked where that is little', { expirationSeconds: 600 }, 0.25],
  ])('is signed for %s', async (_what, spec, expected) => {
    await ask('a', spec, { commonName: 'jane', organizations: ['dev'] });
    await approve('a');
    const certificate = await certificateOf('a');
    expect(certificate.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
    expect(certificate.subject).toBe('O=dev\nCN=jane');
    expect(hours(certificate)).toBe(expected);
  });

  it('is refused where its signer has something against it', async () => {
    await ask('a', { usages: ['client auth', 'code signing'] });
    await approve('a');
    await expect.poll(() => conditionsOf('a').length).toBe(2);
    expect(conditionsOf('a')[1]).toEqual({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'invalid usage for client certificate: code signing',
      lastUpdateTime: expect.any(String),
      lastTransitionTime: expect.any(String),
    });
    expect(stored('a')?.status?.certificate).toBeUndefined();
  });

  it('waits for its signer to have an authority', async () => {
    signers.delete('kube-apiserver-client');
    await ask('a', {});
    await approve('a');
    await ask('b', { signerName: NODE_CLIENT, usages: NODE_USAGES }, NODE);
    await approve('b');
    await certificateOf('b');
    expect(stored('a')?.status?.certificate).toBeUndefined();
    signers.set('kube-apiserver-client', authority);
    onTaken();
    await certificateOf('a');
  });

  /** Writes a certificate as another signer does. */
  function signElsewhere(name: string, certificate: string) {
    const request = api.request('UPDATE', RESOURCE, name, { subresource: 'status' });
    return api.deps.pipeline.write(request, {
      change: (current) => ({ ...current, status: { ...(current.status as object), certificate } }),
    });
  }

  it('that another signer signs at the same time keeps the certificate that came first', async () => {
    await requests.stop();
    await ask('a', {});
    await approve('a');
    await ask('b', {});
    await approve('b');
    const other = Buffer.from(authority.cert).toString('base64');
    let isSigned = false;
    api.store.beforeWrite = async ({ name }) => {
      if (isSigned || name !== 'a') return undefined;
      isSigned = true;
      // Its write gets to the store while the certificate that was made here is on its way.
      await signElsewhere('a', other);
      return undefined;
    };
    metrics = new Metrics();
    requests = await make();
    const issued = await certificateOf('b');
    await expect.poll(() => stored('a')?.status?.certificate).toBe(other);
    expect(issued.subject).toBe('CN=jane');
    const own = stored('b')?.status?.certificate;
    await expect(signElsewhere('b', other)).rejects.toMatchObject({ code: 422 });
    expect([stored('a')?.status?.certificate, stored('b')?.status?.certificate]).toEqual([other, own]);
  });

  it('is signed once by two servers that both take themselves for the one that signs', async () => {
    const written = new Map<string, Set<string>>();
    api.store.onCommit((changes) => {
      for (const { name } of changes) {
        const certificate = stored(name)?.status?.certificate;
        if (certificate) written.set(name, (written.get(name) ?? new Set()).add(certificate));
      }
    });
    metrics = new Metrics();
    const second = await make();
    const all = Array.from({ length: 20 }, (_, at) => `request-${at}`);
    for (const name of all) await ask(name, {});
    await Promise.all(all.map(approve));
    for (const name of all) await certificateOf(name);
    await second.stop();
    await requests.stop();
    expect(all.map((name) => written.get(name)?.size)).toEqual(all.map(() => 1));
  });

  it('counts as one that was given the time it asked for', async () => {
    await ask('a', { expirationSeconds: 48 * 3600 });
    await ask('b', { expirationSeconds: 12 * 3600 });
    await ask('c', {});
    for (const name of ['a', 'b', 'c']) await approve(name);
    for (const name of ['a', 'b', 'c']) await certificateOf(name);
    const counted = async (name: string) =>
      (await metrics.text()).body.match(
        new RegExp(`^apiserver_certificates_registry_csr_${name}.*\\} (\\d+)$`, 'm'),
      )?.[1];
    await expect.poll(() => counted('requested')).toBe('2');
    expect(await counted('honored')).toBe('1');
  });
});

describe("a node's request for its own client certificate", () => {
  const node = authenticated(
    { name: 'system:node:a', uid: 'u', groups: ['system:nodes'], extra: { k: ['v'] } },
    'x509',
  );
  const askAs = (user: UserInfo, spec: object = {}, subject = NODE) =>
    ask('a', { signerName: NODE_CLIENT, usages: NODE_USAGES, ...spec }, subject, { user });
  const approved = (message: string) => [{ type: 'Approved', status: 'True', reason: 'AutoApproved', message }];

  it('is approved by the right to its own, and signed', async () => {
    rights.add('selfnodeclient');
    await askAs(node.user);
    await certificateOf('a');
    expect(conditionsOf('a')).toMatchObject(
      approved('Auto approving self kubelet client certificate after SubjectAccessReview.'),
    );
    expect(asked).toEqual([
      [
        { name: 'system:node:a', uid: 'u', groups: ['system:nodes', 'system:authenticated'], extra: { k: ['v'] } },
        expect.objectContaining({
          verb: 'create',
          group: 'certificates.k8s.io',
          resource: RESOURCE,
          subresource: 'selfnodeclient',
          isResourceRequest: true,
        }),
      ],
    ]);
  });

  it('is approved by the right to those of all nodes, whoever asks', async () => {
    rights.add('nodeclient');
    await askAs(jane);
    await certificateOf('a');
    expect(conditionsOf('a')).toMatchObject(
      approved('Auto approving kubelet client certificate after SubjectAccessReview.'),
    );
    expect(asked.map(([, { subresource }]) => subresource)).toEqual(['nodeclient']);
  });

  it('waits for a right that is not there yet', async () => {
    await askAs(node.user);
    await expect.poll(() => asked.length).toBe(2);
    expect(asked.map(([, { subresource }]) => subresource)).toEqual(['selfnodeclient', 'nodeclient']);
    expect(conditionsOf('a')).toEqual([]);
    rights.add('nodeclient');
    await certificateOf('a');
  });

  it.each<[string, object, typeof NODE]>([
    ['for another signer', { signerName: CLIENT }, NODE],
    ['for other usages', { usages: ['client auth'] }, NODE],
    ['for another subject', {}, { ...NODE, organizations: ['system:masters'] }],
  ])('is not approved by itself %s', async (_what, spec, subject) => {
    rights.add('nodeclient').add('selfnodeclient');
    await askAs(node.user, spec, subject);
    await ask('other', { signerName: NODE_CLIENT, usages: NODE_USAGES }, NODE, { user: node.user });
    await certificateOf('other');
    expect(conditionsOf('a')).toEqual([]);
  });

  it('that has been denied stays so', async () => {
    await askAs(node.user);
    const denied = [{ type: 'Denied', status: 'True', reason: 'No', message: '' }];
    const request = api.request('UPDATE', RESOURCE, 'a', { subresource: 'approval' });
    await api.deps.pipeline.write(request, { change: (current) => ({ ...current, status: { conditions: denied } }) });
    rights.add('selfnodeclient');
    await ask('other', { signerName: NODE_CLIENT, usages: NODE_USAGES }, NODE, { user: node.user });
    await certificateOf('other');
    expect(conditionsOf('a')).toMatchObject(denied);
  });
});

it('requests that are of no use any more go', async () => {
  await requests.stop();
  for (const [name, lastUpdateTime] of [
    ['old', '2020-01-01T00:00:00Z'],
    ['new', undefined],
  ] as const) {
    await ask(name, {});
    const conditions = [{ type: 'Denied', status: 'True', reason: 'No', message: '', lastUpdateTime }];
    const request = api.request('UPDATE', RESOURCE, name, { subresource: 'approval' });
    await api.deps.pipeline.write(request, { change: (current) => ({ ...current, status: { conditions } }) });
  }
  metrics = new Metrics();
  requests = await make();
  await expect.poll(() => stored('old')).toBeUndefined();
  expect(stored('new')).toBeDefined();
});
