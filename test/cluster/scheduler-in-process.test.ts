import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MoodyWebhook } from '../faults/webhooks/moody-webhook.js';
import { Api } from '../support/api.js';
import { addReadyNode, startScheduler } from '../support/orch-scheduler.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const SCHEDULER = 'system:kube-scheduler';
const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const RIGHTS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:kube-scheduler';
const POLICIES = '/apis/admissionregistration.k8s.io/v1alpha1/validatingadmissionpolicies';
const WAIT = { timeout: 60_000, interval: 100 };
const QUICK = { leaderElection: { leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '500ms' } };

interface Pod {
  readonly metadata: {
    readonly managedFields: readonly { readonly manager: string; readonly subresource?: string }[];
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly reason?: string }[] };
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly responseStatus?: { readonly code: number };
  readonly requestObject?: object;
  readonly responseObject?: { readonly kind: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

let dir: string | undefined;
let server: Standalone;
let api: Api;

afterEach(async () => {
  api?.close();
  await server?.stop();
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  dir = undefined;
});

async function start(configuration: object = QUICK, ...args: string[]): Promise<void> {
  dir ??= mkdtempSync(join(tmpdir(), 'scheduler-in-process-'));
  const file = join(dir, 'scheduler.json');
  const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
  writeFileSync(file, JSON.stringify({ ...head, ...configuration }));
  const own = ['--scheduler=on', `--scheduler-config=${file}`];
  server = await startStandalone({ strangers: [SCHEDULER], args: [...own, ...args] });
  api = new Api(server);
}

async function addPod(name: string, schedulerName = 'default-scheduler', spec: object = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  const answer = await api.post(PODS, { metadata: { name }, spec: { containers, schedulerName, ...spec } });
  expect(answer.status, answer.text).toBe(201);
}

/** Has a webhook be asked about Bindings, for longer than anything else takes. */
async function registerHeld(webhook: MoodyWebhook): Promise<void> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/binding'] }];
  const hook = { name: 'held.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30 };
  const answer = await api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'held' },
    webhooks: [{ ...hook, clientConfig: webhook.clientConfig('/validate/held'), rules }],
  });
  expect(answer.status, answer.text).toBe(201);
}

const podOf = async (name: string) => (await api.get(`${PODS}/${name}`)).json() as unknown as Pod;
const nodeOf = async (name: string) => (await podOf(name)).spec.nodeName;
const log = () => readFileSync(server.process.logFile, 'utf8');

async function notesOf(pod: string): Promise<string[]> {
  const { items } = (await api.get(EVENTS)).json() as unknown as {
    items: { note: string; regarding: { name: string } }[];
  };
  return items.filter(({ regarding }) => regarding.name === pod).map(({ note }) => note);
}

describe('the scheduler within the server', () => {
  test('binds nothing without its rights, and goes on when it has them again', async () => {
    await start();
    await addReadyNode(api, 'n1');
    await addPod('first');
    await expect.poll(() => nodeOf('first'), WAIT).toBe('n1');
    const rights = (await api.get(RIGHTS)).json<{ metadata: object }>();
    await api.delete(RIGHTS);
    // Its watches have ended, and it may not begin others.
    await expect.poll(log, WAIT).toMatch(/system:kube-scheduler.{0,4} cannot list resource .{0,4}pods/);
    await addPod('second');
    await addReadyNode(api, 'n2');
    expect(await nodeOf('second')).toBeUndefined();
    const { metadata: _, ...rest } = rights;
    const again = { ...rest, metadata: { name: SCHEDULER } };
    expect((await api.post(RIGHTS.slice(0, RIGHTS.lastIndexOf('/')), again)).status).toBe(201);
    await expect.poll(() => nodeOf('second'), WAIT).toMatch(/^n[12]$/);
  }, 180_000);

  test('is audited as one that comes over HTTP, and leaves the same traces in objects', async () => {
    dir = mkdtempSync(join(tmpdir(), 'scheduler-in-process-'));
    const [policy, file] = [join(dir, 'policy.json'), join(dir, 'audit.log')];
    const rules = [{ level: 'RequestResponse', users: [SCHEDULER] }, { level: 'None' }];
    writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    const profiles = [{ schedulerName: 'inside' }];
    await start({ profiles }, `--audit-policy-file=${policy}`, `--audit-log-path=${file}`);
    const outside = { profiles: [{ schedulerName: 'outside' }], leaderElection: { leaderElect: false } };
    const other = await startScheduler(server, { token: SCHEDULER, configuration: outside });
    const read = (): AuditEvent[] => {
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as AuditEvent);
    };
    try {
      for (const name of ['inside', 'outside']) await addPod(name, name);
      const conditions = async (name: string) => (await podOf(name)).status.conditions?.[0]?.reason;
      for (const name of ['inside', 'outside']) await expect.poll(() => conditions(name), WAIT).toBe('Unschedulable');
      await addReadyNode(api, 'n1');
      for (const name of ['inside', 'outside']) {
        await expect.poll(() => nodeOf(name), WAIT).toBe('n1');
        await expect.poll(() => notesOf(name), WAIT).toContain(`Successfully assigned default/${name} to n1`);
      }
      const kinds = ['create pods/binding', 'patch pods/status', 'create events'];
      for (const kind of kinds) {
        const of = (name: string) =>
          read()
            .filter((event) => event.stage === 'ResponseComplete' && kindOf(event) === kind)
            .filter((event) => JSON.stringify(event.requestURI + JSON.stringify(event.requestObject)).includes(name))
            .map((event) => comparable(event, name));
        await expect.poll(() => of('inside').length, WAIT).toBe(of('outside').length);
        expect(of('inside'), kind).toEqual(of('outside'));
        expect(of('inside').length, kind).toBeGreaterThan(0);
      }
      const reads = read().filter(({ verb, objectRef }) => verb === 'watch' && objectRef?.resource === 'pods');
      expect(new Set(reads.map(({ userAgent }) => userAgent))).toEqual(new Set(['kube-scheduler']));
      const managers = async (name: string) =>
        (await podOf(name)).metadata.managedFields.map(({ manager, subresource }) => [manager, subresource]).toSorted();
      expect(await managers('inside')).toEqual(await managers('outside'));
      expect(await managers('inside')).toContainEqual(['kube-scheduler', 'status']);
    } finally {
      await other.stop();
    }
  }, 180_000);

  test('tells of a Binding that admission refuses, and binds once it does not any more', async () => {
    const group = 'admissionregistration.k8s.io/v1alpha1';
    await start(QUICK, '--feature-gates=ValidatingAdmissionPolicy=true', `--runtime-config=${group}=true`);
    const resourceRules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/binding'] },
    ];
    const validations = [{ expression: "object.target.name != 'n1'", message: 'not on this node' }];
    const policy = { matchConstraints: { resourceRules }, validations, failurePolicy: 'Fail' };
    expect((await api.post(POLICIES, { metadata: { name: 'p' }, spec: policy })).status).toBe(201);
    const binding = { policyName: 'p', validationActions: ['Deny'] };
    const bindings = POLICIES.replace('policies', 'policybindings');
    const made = await api.post(bindings, { metadata: { name: 'p' }, spec: binding });
    expect(made.status, made.text).toBe(201);
    await addReadyNode(api, 'n1');
    // The policy is in force once it refuses one.
    const asked = async () => {
      await api.post(PODS, {
        metadata: { name: 'probe' },
        spec: { containers: [{ name: 'c', image: 'i' }], schedulerName: 'none' },
      });
      const target = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
      const answer = await api.post(`${PODS}/probe/binding?dryRun=All`, { metadata: { name: 'probe' }, target });
      return answer.text;
    };
    await expect.poll(asked, WAIT).toContain('not on this node');
    await addPod('web');
    await expect.poll(() => notesOf('web'), WAIT).toContainEqual(expect.stringContaining('not on this node'));
    expect(await nodeOf('web')).toBeUndefined();
    await api.delete(`${bindings}/p`);
    await expect.poll(() => nodeOf('web'), WAIT).toBe('n1');
  }, 180_000);

  test('ends at once though a webhook keeps a Binding, which is made after the restart', async () => {
    await start();
    const webhook = await MoodyWebhook.start();
    try {
      await addReadyNode(api, 'n1');
      await registerHeld(webhook);
      webhook.hold('validate');
      // It is in force once it keeps one.
      let pods = 0;
      const held = async () => {
        if (webhook.held === 0) await addPod(`held-${pods++}`);
        return webhook.held;
      };
      await expect.poll(held, WAIT).toBeGreaterThan(0);
      const began = performance.now();
      await server.process.stop();
      expect(server.process.exitCode, log()).toBe(0);
      // It would be five seconds, and two more until it is given up.
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(log()).not.toContain('could not be scheduled');
      webhook.release();
      await server.process.start();
      await expect.poll(() => nodeOf('held-0'), WAIT).toBe('n1');
    } finally {
      await webhook.close();
    }
  }, 180_000);

  test('goes on after a restart, and after its database was away', async () => {
    await start();
    await addPod('first');
    await expect.poll(async () => (await podOf('first')).status.conditions?.[0]?.reason, WAIT).toBe('Unschedulable');
    await server.process.stop();
    await server.process.start();
    await addReadyNode(api, 'n1');
    await expect.poll(() => nodeOf('first'), WAIT).toBe('n1');
    await addPod('second', 'default-scheduler', { nodeSelector: { wanted: 'yes' } });
    await expect.poll(async () => (await podOf('second')).status.conditions?.[0]?.reason, WAIT).toBe('Unschedulable');
    const pid = Number(readFileSync(join(server.postgresDir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    const labelled = () => api.patch('/api/v1/nodes/n1', 'merge', { metadata: { labels: { wanted: 'yes' } } });
    await expect.poll(async () => (await labelled().catch(() => undefined))?.status, WAIT).toBe(200);
    await expect.poll(() => nodeOf('second'), WAIT).toBe('n1');
  }, 180_000);
});

const kindOf = ({ verb, objectRef: { resource = '', subresource = '' } = { resource: '' } }: AuditEvent): string =>
  `${verb} ${resource}${subresource && `/${subresource}`}`;

/** An audit event as far as two of the same request are alike, whatever the pod is called. */
function comparable(event: AuditEvent, pod: string): unknown {
  const { verb, requestURI, userAgent, user, objectRef, responseStatus, requestObject, responseObject } = event;
  const { groups, username } = user;
  const keys = Object.keys(requestObject ?? {}).toSorted();
  const reasons = Object.values(event.annotations ?? {}).toSorted();
  const ref = { ...objectRef, name: objectRef?.name?.replace(/\.[0-9a-f]+$/, ''), uid: Boolean(objectRef?.uid) };
  const shown = { verb, requestURI, userAgent, groups, username, ref, code: responseStatus?.code, keys, reasons };
  return JSON.parse(JSON.stringify({ ...shown, answer: responseObject?.kind }).replaceAll(pod, 'POD'));
}
