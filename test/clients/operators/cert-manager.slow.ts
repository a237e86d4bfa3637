import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts, ManagedProcess } from '../../../tools/up/index.js';
import { helmOk } from '../../deploy/helm.js';
import { Api, type ApiList, type ApiObject } from '../../support/api.js';
import { buildOperator } from './build-operator.js';
import { operatorStage } from './operator-stage.js';

const NAMESPACE = 'cert-manager';
const HOOK = 'cert-manager-webhook';
const CUSTOM = '/apis/cert-manager.io/v1/namespaces/default';
const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const WAIT = { timeout: 60_000 };
const BUILD_MS = 2_400_000;

/** The last release whose programs are packages of its module. */
const RELEASE = { module: 'github.com/cert-manager/cert-manager', version: 'v1.11.5' };
const programOf = (name: string) => ({ name: `cert-manager-${name}`, ...RELEASE, main: `cmd/${name}` });

const certificate = (name: string, spec: object = {}) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name },
  spec: { secretName: `${name}-tls`, dnsNames: [`${name}.example.com`], issuerRef: { name: 'self-signed' }, ...spec },
});
const issuer = (name: string, spec: object) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Issuer',
  metadata: { name },
  spec,
});

describe('cert-manager', () => {
  let hookPort = 0;
  const stage = operatorStage(
    programOf('webhook'),
    NAMESPACE,
    async ({ cluster, kubectl, source }, dir) => {
      const chart = chartOf(source, dir);
      const rendered = join(dir, 'cert-manager.yaml');
      writeFileSync(
        rendered,
        helmOk(['template', 'cert-manager', chart, `--namespace=${NAMESPACE}`, '--no-hooks', '--kube-version=1.27']),
      );
      await kubectl.ok(['apply', '--server-side', '-f', rendered]);
      const [health = 0] = await freePorts(1);
      const api = new Api({ url: `http://127.0.0.1:${health}` });
      const ready = async () => (await api.get('/healthz').catch(() => undefined))?.status === 200;
      const args = [
        `--secure-port=${hookPort}`,
        `--healthz-port=${health}`,
        `--dynamic-serving-ca-secret-namespace=${NAMESPACE}`,
        `--dynamic-serving-ca-secret-name=${HOOK}-ca`,
        `--dynamic-serving-dns-names=${HOOK},${HOOK}.${NAMESPACE},${HOOK}.${NAMESPACE}.svc`,
        `--kubeconfig=${cluster.kubeconfig}`,
      ];
      return { args, ready };
    },
    async () => {
      [hookPort = 0] = await freePorts(1);
      // Nobody routes to services here.
      return [`--service-resolver=${NAMESPACE}/${HOOK}=127.0.0.1:${hookPort}`];
    },
  );

  const others: ManagedProcess[] = [];
  /** Runs another of its programs until the end. */
  const startOther = async (name: string, args: readonly string[], ready: () => Promise<boolean>) => {
    const { program } = buildOperator(programOf(name));
    const { kubeconfig } = stage.cluster;
    const other = new ManagedProcess({
      name: `cert-manager-${name}`,
      command: program,
      args: [`--leader-election-namespace=${NAMESPACE}`, ...args],
      env: { KUBECONFIG: kubeconfig },
      logFile: join(dirname(kubeconfig), `cert-manager-${name}.log`),
      ready,
    });
    others.push(other);
    await other.start();
  };
  beforeAll(async () => {
    const [metrics = 0] = await freePorts(1);
    const api = new Api({ url: `http://127.0.0.1:${metrics}` });
    const answers = async () => (await api.get('/metrics').catch(() => undefined))?.status === 200;
    const { kubeconfig } = stage.cluster;
    await startOther(
      'controller',
      [`--kubeconfig=${kubeconfig}`, `--metrics-listen-address=127.0.0.1:${metrics}`],
      answers,
    );
    // It listens nowhere: what it does shows that it is at work.
    await startOther('cainjector', [], async () => true);
  }, BUILD_MS);
  afterAll(async () => {
    await Promise.all(others.map((each) => each.stop()));
  });

  const conditionOf = async (path: string, type: string): Promise<string | undefined> => {
    const conditions: { type: string; status: string }[] = (await stage.find(path))?.status?.conditions ?? [];
    return conditions.find((condition) => condition.type === type)?.status;
  };
  const certificateIn = async (secret: string) => {
    const found = await stage.find(`/api/v1/namespaces/default/secrets/${secret}`);
    return new X509Certificate(Buffer.from(found?.data?.['tls.crt'] ?? '', 'base64'));
  };

  test.each(['mutating', 'validating'])(
    'brings the authority of its webhook into the %s configuration',
    async (kind) => {
      const path = `${REGISTRATION}/${kind}webhookconfigurations/${HOOK}`;
      const bundle = async () => (await stage.find(path))?.webhooks[0].clientConfig.caBundle as string | undefined;
      await expect.poll(bundle, WAIT).toBeDefined();
      const secret = await stage.find(`/api/v1/namespaces/${NAMESPACE}/secrets/${HOOK}-ca`);
      expect(await bundle()).toBe(secret?.data?.['ca.crt']);
    },
    120_000,
  );

  test('is asked through its Service, and lets pass what is right', async () => {
    const made = async () =>
      (await stage.api.post(`${CUSTOM}/issuers`, issuer('self-signed', { selfSigned: {} }))).status;
    await expect.poll(made, WAIT).toBe(201);
    await expect.poll(() => conditionOf(`${CUSTOM}/issuers/self-signed`, 'Ready'), WAIT).toBe('True');
  }, 120_000);

  test.each<[string, object, string]>([
    [
      'no names',
      { dnsNames: [] },
      'at least one of commonName, dnsNames, uris ipAddresses, or emailAddresses must be set',
    ],
    ['a key that is too small', { privateKey: { size: 1024 } }, 'must be between 2048 & 8192 for rsa keyAlgorithm'],
    ['a short life', { duration: '1m' }, 'certificate duration must be greater than 1h0m0s'],
  ])('refuses a Certificate with %s, in its words', async (_what, spec, words) => {
    const answer = await stage.api.post(`${CUSTOM}/certificates`, certificate('wrong', spec));
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    const { message } = answer.json<{ message: string }>();
    expect(message).toContain('admission webhook "webhook.cert-manager.io" denied the request: ');
    expect(message).toContain(words);
    expect(await stage.find(`${CUSTOM}/certificates/wrong`)).toBeUndefined();
  });

  test('issues what is asked for, whose request says who asked', async () => {
    await stage.create(`${CUSTOM}/certificates`, certificate('web', { isCA: true }));
    await expect.poll(() => conditionOf(`${CUSTOM}/certificates/web`, 'Ready'), WAIT).toBe('True');
    const made = await certificateIn('web-tls');
    expect(made.subjectAltName).toBe('DNS:web.example.com');
    expect(made.checkIssued(made)).toBe(true);
    const { items } = (await stage.api.get(`${CUSTOM}/certificaterequests`)).json<ApiList>();
    expect(items).toHaveLength(1);
    // Its webhook writes that, over what anybody says.
    expect(items[0]?.spec).toMatchObject({ username: 'admin', groups: expect.arrayContaining(['system:masters']) });
  }, 120_000);

  test('lets nobody change who asked', async () => {
    const { items } = (await stage.api.get(`${CUSTOM}/certificaterequests`)).json<ApiList>();
    const [{ metadata }] = items as [ApiObject];
    const answer = await stage.api.patch(`${CUSTOM}/certificaterequests/${metadata.name}`, 'merge', {
      spec: { username: 'somebody' },
    });
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.text).toContain('username identity cannot be changed once set');
  });

  test('issues by an authority that it has issued', async () => {
    await stage.create(`${CUSTOM}/issuers`, issuer('own', { ca: { secretName: 'web-tls' } }));
    await stage.create(`${CUSTOM}/certificates`, certificate('leaf', { issuerRef: { name: 'own' } }));
    await expect.poll(() => conditionOf(`${CUSTOM}/certificates/leaf`, 'Ready'), WAIT).toBe('True');
    const [leaf, authority] = await Promise.all([certificateIn('leaf-tls'), certificateIn('web-tls')]);
    expect(leaf.checkIssued(authority)).toBe(true);
  }, 120_000);

  test('is not written without while its webhook is down, and goes on behind it', async () => {
    await stage.operator.stop();
    const refused = await stage.api.post(`${CUSTOM}/certificates`, certificate('late'));
    expect(refused.status).toBe(500);
    expect(refused.text).toContain('failed calling webhook');
    await stage.operator.start();
    const made = async () => (await stage.api.post(`${CUSTOM}/certificates`, certificate('late'))).status;
    await expect.poll(made, WAIT).toBe(201);
    await expect.poll(() => conditionOf(`${CUSTOM}/certificates/late`, 'Ready'), WAIT).toBe('True');
  }, 180_000);
});

/** Its chart, as its release puts it together: what it says of itself, and its definitions among its templates. */
function chartOf(source: string, dir: string): string {
  const [from, chart] = [join(source, 'deploy'), join(dir, 'chart')];
  const put = (part: string, path: string) => {
    mkdirSync(dirname(join(chart, path)), { recursive: true });
    // Modules lie there read-only.
    writeFileSync(join(chart, path), readFileSync(join(from, part)));
  };
  put('charts/cert-manager/Chart.template.yaml', 'Chart.yaml');
  put('charts/cert-manager/values.yaml', 'values.yaml');
  for (const name of readdirSync(join(from, 'charts/cert-manager/templates')))
    put(`charts/cert-manager/templates/${name}`, `templates/${name}`);
  for (const name of readdirSync(join(from, 'crds')).filter((each) => each.endsWith('.yaml')))
    put(`crds/${name}`, `templates/${name}`);
  return chart;
}
