import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accepts, freePorts } from '../../../tools/up/index.js';
import { operatorStage, type Premises } from './operator-stage.js';

const NAMESPACE = 'gatekeeper-system';
const CERTIFICATES = `/api/v1/namespaces/${NAMESPACE}/secrets/gatekeeper-webhook-server-cert`;
const TEMPLATES = '/apis/templates.gatekeeper.sh/v1/constrainttemplates';
const CONSTRAINTS = '/apis/constraints.gatekeeper.sh/v1beta1/requiredlabels';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WAIT = { timeout: 60_000 };

/** Labels that objects must have, each with a value that an expression computes over. */
const template = (expression: string) => ({
  apiVersion: 'templates.gatekeeper.sh/v1',
  kind: 'ConstraintTemplate',
  metadata: { name: 'requiredlabels' },
  spec: {
    crd: {
      spec: {
        names: { kind: 'RequiredLabels' },
        validation: {
          openAPIV3Schema: { type: 'object', properties: { labels: { type: 'array', items: { type: 'string' } } } },
        },
      },
    },
    targets: [
      {
        target: 'admission.k8s.gatekeeper.sh',
        code: [
          {
            engine: 'K8sNativeValidation',
            source: {
              variables: [
                { name: 'labels', expression: 'has(object.metadata.labels) ? object.metadata.labels.map(l, l) : []' },
              ],
              validations: [
                {
                  expression,
                  messageExpression: '"of the labels " + variables.params.labels.join(", ") + " some are missing"',
                },
              ],
            },
          },
        ],
      },
    ],
  },
});

const constraint = {
  apiVersion: 'constraints.gatekeeper.sh/v1beta1',
  kind: 'RequiredLabels',
  metadata: { name: 'owned' },
  spec: {
    match: { kinds: [{ apiGroups: [''], kinds: ['ConfigMap'] }], namespaces: ['default'] },
    parameters: { labels: ['owner', 'team'] },
  },
};

const configMap = (name: string, labels: object = {}) => ({ metadata: { name, labels } });

let hookPort = 0;
const stage = operatorStage(
  { name: 'gatekeeper', module: 'github.com/open-policy-agent/gatekeeper/v3', version: 'v3.17.0', main: '.' },
  NAMESPACE,
  async ({ kubectl, source, api }, dir) => {
    const [health = 0, metrics = 0] = await freePorts(2);
    await kubectl.ok(['apply', '--server-side', '-f', join(source, 'deploy', 'gatekeeper.yaml')]);
    const certificates = join(dir, 'certificates');
    mkdirSync(certificates);
    const addresses = [`--health-addr=127.0.0.1:${health}`, `--prometheus-port=${metrics}`];
    const listening = ['--host=127.0.0.1', `--port=${hookPort}`, `--cert-dir=${certificates}`, ...addresses];
    const ready = async () => {
      await mountSecret(api, certificates);
      // It listens once it has found them, and controllers begin with that.
      return accepts(hookPort);
    };
    const auditDir = join(dir, 'audit');
    mkdirSync(auditDir);
    const all = ['--audit-interval=3', `--api-cache-dir=${auditDir}`, '--debug-use-fake-pod'];
    return { args: [...listening, ...all], env: { POD_NAMESPACE: NAMESPACE, NAMESPACE }, ready };
  },
  async () => {
    [hookPort = 0] = await freePorts(1);
    // Nobody routes to services here.
    return [`--service-resolver=${NAMESPACE}/gatekeeper-webhook-service=127.0.0.1:${hookPort}`];
  },
);

/** Copies the certificates that Gatekeeper creates to the folder where it expects them, as a kubelet does. */
async function mountSecret(api: Premises['api'], folder: string): Promise<void> {
  const { data = {} } = (await api.get(CERTIFICATES)).json();
  for (const [name, value] of Object.entries(data)) writeFileSync(join(folder, name), Buffer.from(value, 'base64'));
}

test('makes a kind of a template in CEL', async () => {
  await stage.create(CONFIG_MAPS, configMap('before'));
  await stage.create(TEMPLATES, template('variables.params.labels.all(l, l in variables.labels)'));
  const created = async () => (await stage.find(`${TEMPLATES}/requiredlabels`))?.status?.created;
  await expect.poll(created, WAIT).toBe(true);
  const served = async () => (await stage.api.get(CONSTRAINTS)).status;
  await expect.poll(served, WAIT).toBe(200);
}, 120_000);

test('refuses a template whose name is not that of its kind', async () => {
  const wrong = { ...template('true'), metadata: { name: 'other' } };
  const answer = await stage.api.post(TEMPLATES, wrong);
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  expect(answer.json().message).toContain('admission webhook "validation.gatekeeper.sh" denied the request');
});

test('denies what a constraint forbids, in the words of the template, and lets pass what it allows', async () => {
  await stage.create(CONSTRAINTS, constraint);
  const dryRun = `${CONFIG_MAPS}?dryRun=All`;
  await expect.poll(async () => (await stage.api.post(dryRun, configMap('asked'))).status, WAIT).toBe(403);
  const denied = await stage.api.post(CONFIG_MAPS, configMap('denied', { owner: 'me' }));
  expect(denied.status, denied.text).toBe(403);
  expect(denied.json().message).toBe(
    'admission webhook "validation.gatekeeper.sh" denied the request: [owned] of the labels owner, team some are missing',
  );
  await stage.create(CONFIG_MAPS, configMap('admitted', { owner: 'me', team: 'us' }));
  const changed = await stage.api.patch(`${CONFIG_MAPS}/admitted`, 'merge', { metadata: { labels: { team: null } } });
  expect(changed.status, changed.text).toBe(403);
  // Other kinds are not meant.
  await stage.create('/api/v1/namespaces/default/secrets', configMap('other'));
}, 120_000);

test('finds in its audit what was there before', async () => {
  const violations = async () => (await stage.find(`${CONSTRAINTS}/owned`))?.status?.violations;
  const expected = { kind: 'ConfigMap', name: 'before', namespace: 'default', enforcementAction: 'deny' };
  await expect.poll(violations, WAIT).toContainEqual(expect.objectContaining(expected));
  const names = ((await violations()) as { name: string }[]).map(({ name }) => name);
  expect(names).not.toContain('admitted');
}, 120_000);

test('forgets a constraint that is deleted', async () => {
  expect((await stage.api.delete(`${CONSTRAINTS}/owned`)).status).toBe(200);
  const asked = async () => (await stage.api.post(`${CONFIG_MAPS}?dryRun=All`, configMap('asked'))).status;
  await expect.poll(asked, WAIT).toBe(201);
}, 120_000);
