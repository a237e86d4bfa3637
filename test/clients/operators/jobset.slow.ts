import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import { freePorts } from '../../../tools/up/index.js';
import { parseManifests } from '../../deploy/helm.js';
import { Api, type ApiList, type ApiObject } from '../../support/api.js';
import { restartGateways } from '../restart-gateways.js';
import { operatorStage } from './operator-stage.js';

const NAMESPACE = 'jobset-system';
const SETS = `/apis/jobset.x-k8s.io/v1alpha2/namespaces/${NAMESPACE}/jobsets`;
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const WAIT = { timeout: 30_000 };

/** Its webhooks, as its manifests name their Service. */
const HOOK = { namespace: 'system', name: 'webhook-service' };

/** Without what the operator's own webhook fills in. */
const replicated = (name: string, replicas: number) => ({
  name,
  replicas,
  template: {
    spec: {
      parallelism: 1,
      completions: 1,
      template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } },
    },
  },
});

const jobSet = (name: string, more: object = {}) => ({
  apiVersion: 'jobset.x-k8s.io/v1alpha2',
  kind: 'JobSet',
  metadata: { name },
  spec: { replicatedJobs: [replicated('leader', 1), replicated('workers', 3)], ...more },
});

describe('the JobSet operator', () => {
  let hookPort = 0;
  const stage = operatorStage(
    {
      name: 'jobset',
      module: 'sigs.k8s.io/jobset',
      version: 'v0.8.1',
      main: '.',
      definitions: 'config/components/crd/bases',
    },
    NAMESPACE,
    async ({ kubectl, source }, dir) => {
      const [health = 0] = await freePorts(1);
      const { certDir, authority } = await webhookCertificates(dir);
      await kubectl.ok(['apply', '-f', webhooksOf(source, authority, dir)]);
      const configuration = {
        apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
        kind: 'Configuration',
        leaderElection: { leaderElect: true, resourceNamespace: NAMESPACE },
        internalCertManagement: { enable: false },
        webhook: { host: '127.0.0.1', port: hookPort, certDir },
        metrics: { bindAddress: '0' },
        health: { healthProbeBindAddress: `127.0.0.1:${health}` },
      };
      const config = join(dir, 'jobset.json');
      writeFileSync(config, JSON.stringify(configuration));
      const api = new Api({ url: `http://127.0.0.1:${health}` });
      const ready = async () => (await api.get('/readyz').catch(() => undefined))?.status === 200;
      return { args: [`--config=${config}`], ready };
    },
    async () => {
      [hookPort = 0] = await freePorts(1);
      // Nobody routes to services here.
      return [`--service-resolver=${HOOK.namespace}/${HOOK.name}=127.0.0.1:${hookPort}`];
    },
  );

  const jobsOf = async (set: string): Promise<readonly ApiObject[]> => {
    const selector = encodeURIComponent(`jobset.sigs.k8s.io/jobset-name=${set}`);
    return (await stage.api.get(`${JOBS}?labelSelector=${selector}`)).json<ApiList>().items;
  };
  const namesOfJobs = async (set: string) => (await jobsOf(set)).map(({ metadata }) => metadata.name).sort();
  const conditionsOf = async (set: string): Promise<Record<string, string>> => {
    const found = await stage.find(`${SETS}/${set}`);
    const conditions: { type: string; status: string }[] = found?.status?.conditions ?? [];
    return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
  };
  const suspended = async (set: string) => new Set((await jobsOf(set)).map(({ spec }) => spec.suspend));

  test('leads by a lease, and makes jobs and a service that are owned by their set', async () => {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
    await expect.poll(async () => (await stage.api.get(leases)).json<ApiList>().items.length, WAIT).toBe(1);
    // The health of the operator says nothing of its webhooks, which begin when they have certificates.
    const asked = async () => (await stage.api.post(`${SETS}?dryRun=All`, jobSet('training'))).status;
    await expect.poll(asked, WAIT).toBe(201);
    const { metadata, spec } = await stage.create(SETS, jobSet('training'));
    expect(spec).toMatchObject({
      successPolicy: { operator: 'All' },
      startupPolicy: { startupPolicyOrder: 'AnyOrder' },
      network: { enableDNSHostnames: true, publishNotReadyAddresses: true },
    });
    const { completionMode, template } = spec.replicatedJobs[0].template.spec;
    expect({ completionMode, restartPolicy: template.spec.restartPolicy }).toEqual({
      completionMode: 'Indexed',
      restartPolicy: 'OnFailure',
    });
    const names = ['training-leader-0', 'training-workers-0', 'training-workers-1', 'training-workers-2'];
    await expect.poll(() => namesOfJobs('training'), WAIT).toEqual(names);
    const [job] = await jobsOf('training');
    expect(job?.metadata).toMatchObject({ ownerReferences: [{ kind: 'JobSet', uid: metadata.uid, controller: true }] });
    const service = () => stage.find(`/api/v1/namespaces/${NAMESPACE}/services/training`);
    await expect.poll(service, WAIT).toMatchObject({ spec: { clusterIP: 'None', publishNotReadyAddresses: true } });
    const status = async () => (await stage.find(`${SETS}/training`))?.status?.replicatedJobsStatus;
    const counted = [{ name: 'leader' }, { name: 'workers' }].map((each) => expect.objectContaining(each));
    await expect.poll(status, WAIT).toEqual(expect.arrayContaining(counted));
  }, 60_000);

  test.each<[string, object, string]>([
    [
      'names jobs that are not there',
      { successPolicy: { operator: 'All', targetReplicatedJobs: ['nobody'] } },
      "invalid replicatedJob name 'nobody' does not appear in .spec.ReplicatedJobs",
    ],
    [
      'has a coordinator that is not there',
      { coordinator: { replicatedJob: 'nobody' } },
      'coordinator replicatedJob nobody does not exist',
    ],
  ])('refuses a set that %s, in its words', async (_what, spec, words) => {
    const answer = await stage.api.post(SETS, jobSet('wrong', spec));
    expect(answer.status, answer.text).toBe(403);
    const { message } = answer.json<{ message: string }>();
    expect(message).toContain('admission webhook "vjobset.kb.io" denied the request: ');
    expect(message).toContain(words);
    expect(await stage.find(`${SETS}/wrong`)).toBeUndefined();
  });

  test('lets nobody change the jobs of a set', async () => {
    const answer = await stage.api.patch(`${SETS}/training`, 'merge', {
      spec: { replicatedJobs: [replicated('leader', 2)] },
    });
    expect(answer.status, answer.text).toBe(403);
    expect(answer.text).toContain('field is immutable');
  });

  test('goes on over restarts of the gateways: a set is suspended, resumed, and another one made', async () => {
    const lists = await stage.lists('jobsets');
    expect(lists).toBeGreaterThan(0);
    await restartGateways(stage.cluster);
    const suspend = (wanted: boolean) => stage.api.patch(`${SETS}/training`, 'merge', { spec: { suspend: wanted } });
    expect((await suspend(true)).status).toBe(200);
    await expect.poll(() => suspended('training'), WAIT).toEqual(new Set([true]));
    await expect.poll(() => conditionsOf('training'), WAIT).toMatchObject({ Suspended: 'True' });
    await restartGateways(stage.cluster);
    expect((await suspend(false)).status).toBe(200);
    await expect.poll(() => suspended('training'), WAIT).toEqual(new Set([false]));
    await expect.poll(() => conditionsOf('training'), WAIT).toMatchObject({ Suspended: 'False' });
    await stage.create(SETS, jobSet('later'));
    await expect.poll(async () => (await namesOfJobs('later')).length, WAIT).toBe(4);
    expect(await stage.lists('jobsets'), 'nothing is listed anew').toBe(lists);
  }, 120_000);

  test('makes a job anew that is gone', async () => {
    const [before] = await jobsOf('later');
    expect((await stage.api.delete(`${JOBS}/later-leader-0?propagationPolicy=Background`)).status).toBe(200);
    const uid = async () => (await stage.find(`${JOBS}/later-leader-0`))?.metadata.uid ?? before?.metadata.uid;
    await expect.poll(uid, WAIT).not.toBe(before?.metadata.uid);
  }, 60_000);

  test('tells that a set is complete when its jobs are', async () => {
    const time = new Date().toISOString().replace(/\.\d+/, '');
    const conditions = [{ type: 'Complete', status: 'True', lastProbeTime: time, lastTransitionTime: time }];
    const status = { startTime: time, completionTime: time, succeeded: 1, conditions };
    for (const name of await namesOfJobs('training')) {
      const answer = await stage.api.patch(`${JOBS}/${name}/status`, 'merge', { status });
      expect(answer.status, answer.text).toBe(200);
    }
    const found = async () => (await stage.find(`${SETS}/training`))?.status?.terminalState;
    await expect.poll(found, WAIT).toBe('Completed');
    expect(await conditionsOf('training')).toMatchObject({ Completed: 'True' });
  }, 60_000);
});

/** Creates the serving certificates of its webhooks. Returns their folder and the authority as PEM. */
async function webhookCertificates(dir: string): Promise<{ certDir: string; authority: string }> {
  const certDir = join(dir, 'webhook');
  mkdirSync(certDir);
  const names = namesOf('kubernetes');
  const extraHosts = [`${HOOK.name}.${HOOK.namespace}.svc`];
  const { ca, serving } = await ensurePki({
    certDir: join(dir, 'webhook-pki'),
    bindAddress: '127.0.0.1',
    names,
    extraHosts,
  });
  copyFileSync(serving.certFile, join(certDir, 'tls.crt'));
  copyFileSync(serving.keyFile, join(certDir, 'tls.key'));
  return { certDir, authority: ca.cert };
}

/** The manifests of its webhooks, each with the authority: where these are installed, cert-manager or the operator puts that in. */
function webhooksOf(source: string, authority: string, dir: string): string {
  const file = join(dir, 'webhooks.json');
  const configurations = parseManifests(readFileSync(join(source, 'config/components/webhook/manifests.yaml'), 'utf8'));
  const caBundle = Buffer.from(authority).toString('base64');
  for (const { webhooks } of configurations)
    for (const { clientConfig } of webhooks as { clientConfig: object }[]) Object.assign(clientConfig, { caBundle });
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: configurations }));
  return file;
}
