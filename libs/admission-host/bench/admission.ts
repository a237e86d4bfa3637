/**
 * What the plugins that are on by default cost the creation of a pod: through the pipeline, with a store in memory, with them and
 * without, and 20 admission policies that let it pass; with `--each` also each of the plugins alone. A pod that plugins have completed
 * is three times as long, and costs more wherever it goes: so it is created without plugins too, and what is left is their own.
 *
 *   npx tsx --conditions=source libs/admission-host/bench/admission.ts [--writes=1000] [--rounds=7] [--each]
 *
 * CPU of the process in microseconds, of each the best round; rounds take turns.
 */
import { parseArgs } from 'node:util';
import type { AdmissionPlugin } from '@orch/admission';
import { pluginContext, pluginOf, TestObjects } from '@orch/admission/testing';
import { NO_REMOTE_DOCUMENTS } from '@orch/discovery';
import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { Metrics, silentLogger } from '@orch/runtime';
import { MemoryStore, type TestApi, testApi } from '@orch/testing';
import { serverForUsers } from '@orch/writing';
import { AdmissionControl } from '../src/admission-control.js';
import { admissionMetrics } from '../src/admission-metrics.js';
import { admissionOptions } from '../src/admission-options.js';
import { AdmissionWebhooks } from '../src/admission-webhooks.js';
import { pluginServices } from '../src/plugin-services.js';
import { webhookMetrics } from '../src/webhook-metrics.js';

const { values: flags } = parseArgs({
  options: {
    writes: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
    each: { type: 'boolean', default: false },
  },
});
const [WRITES, ROUNDS] = [Number(flags.writes), Number(flags.rounds)];

const PROFILE = 'kubernetes';
const POD: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { labels: { app: 'web', tier: 'front' } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'registry.example.com/web:1.0',
        ports: [{ containerPort: 8080 }],
        env: [{ name: 'MODE', value: 'production' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
      },
      { name: 'side', image: 'registry.example.com/side:2.1' },
    ],
  },
};

interface Candidate {
  readonly name: string;
  readonly api: TestApi;
  /** What is created. */
  readonly pod: ApiObject;
  best: number;
}

const POLICIES = 20;

function webhooksOf(metrics: Metrics): AdmissionWebhooks {
  return new AdmissionWebhooks({
    observer: webhookMetrics(metrics),
    mostHangingCalls: 50,
    exempt: { namespaces: new Set(), groups: new Set() },
  });
}

function beginWebhooks(webhooks: AdmissionWebhooks, { deps, served }: TestApi): void {
  const addressOf = () => Promise.reject(new Error('no services'));
  webhooks.start({ served, scheme: deps.scheme, maxValues: 100_000 }, { addressOf, maxAnswerBytes: 1 << 20 });
}

/** Policies that all mean the pod and let it pass, with a few expressions each. */
function putPolicies(objects: TestObjects): void {
  const group = 'admissionregistration.orch.io';
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { env: 'bench' } } };
  objects.put('', 'namespaces', namespace);
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE', 'UPDATE'] };
  const matchConstraints = {
    resourceRules: [rule],
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  };
  const validations = [
    { expression: "object.spec.containers.all(c, !c.image.endsWith(':latest'))" },
    { expression: "has(object.metadata.labels) && object.metadata.labels['app'] != ''" },
    { expression: "object.spec.containers.all(c, has(c.resources) || c.name == 'side')" },
  ];
  for (let at = 0; at < POLICIES; at++) {
    const policy = { spec: { matchConstraints, validations, failurePolicy: 'Fail' } };
    const binding = { spec: { policyName: `p${at}`, validationActions: ['Deny'] } };
    const named = (name: string, of: object) =>
      ({ apiVersion: 'v1', kind: 'X', metadata: { name }, ...of }) as ApiObject;
    objects.put(group, 'validatingadmissionpolicies', named(`p${at}`, policy));
    objects.put(group, 'validatingadmissionpolicybindings', named(`b${at}`, binding));
  }
}

async function policies(): Promise<Candidate> {
  const webhooks = webhooksOf(new Metrics());
  const objects = new TestObjects();
  const params = { follow: () => undefined, isNamespaced: () => undefined, find: () => undefined, select: () => [] };
  const plugin = pluginOf(
    'ValidatingAdmissionPolicy',
    pluginContext({ objects, policies: { ...webhooks.forPolicies(), params } }),
  );
  const api = await testApi({}, PROFILE, new MemoryStore(), {}, [plugin]);
  beginWebhooks(webhooks, api);
  putPolicies(objects);
  return { name: `${POLICIES} policies`, api, pod: POD, best: Number.POSITIVE_INFINITY };
}

async function control() {
  const metrics = new Metrics();
  const webhooks = webhooksOf(metrics);
  const options = Object.fromEntries(
    Object.entries(admissionOptions).map(([name, option]) => [
      name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
      'default' in option ? option.default : undefined,
    ]),
  );
  let api: TestApi | undefined;
  const needed = () => {
    if (!api) throw new Error('not assembled yet');
    return api.deps;
  };
  const opened = await AdmissionControl.open({
    names: namesOf(PROFILE),
    isEnabled: () => true,
    options: options as never,
    logger: silentLogger,
    observer: admissionMetrics(metrics),
    webhooks: (configuration) => webhooks.for(configuration),
    policies: webhooks.forPolicies(),
    services: pluginServices({
      ...{ metrics, sharedRates: undefined, deps: needed },
      remote: () => NO_REMOTE_DOCUMENTS,
    }),
  });
  return {
    plugins: opened.plugins,
    async start(made: TestApi) {
      api = made;
      beginWebhooks(webhooks, made);
      const { deps, store, feed } = made;
      const source = {
        get: store.get.bind(store),
        snapshot: store.snapshot.bind(store),
        onCommit: store.onCommit.bind(store),
        onRewind: () => () => undefined,
      };
      await opened.start({ deps, store: source, feed, onError: (error) => console.error(error) });
    },
  };
}

async function candidate(name: string, isAsked: (plugin: AdmissionPlugin) => boolean, pod = POD): Promise<Candidate> {
  const { plugins, start } = await control();
  const api = await testApi({}, PROFILE, new MemoryStore(), {}, plugins.filter(isAsked));
  await start(api);
  await api.create('serviceaccounts', { metadata: { name: 'default' } });
  return { name, api, pod, best: Number.POSITIVE_INFINITY };
}

/** What plugins make of the pod, without what names it. */
async function completed({ api }: Candidate): Promise<ApiObject> {
  const { spec } = (await api.create('pods', copy({ ...POD, metadata: { name: 'completed' } }))) as ApiObject;
  const { nodeName: _, ...rest } = spec as Record<string, unknown>;
  return { ...POD, spec: rest };
}

let created = 0;
async function round(measured: Candidate): Promise<void> {
  const { pod } = measured;
  const { deps } = measured.api;
  const endpoint = measured.api.endpoint('pods', '');
  const before = process.cpuUsage();
  for (let at = 0; at < WRITES; at++) {
    const name = `p${created++}`;
    await deps.pipeline.write(
      {
        operation: 'CREATE',
        endpoint,
        key: { namespace: 'default', name },
        subresource: '',
        caller: serverForUsers(),
        options: { dryRun: false },
      },
      { create: () => copy({ ...pod, metadata: { ...pod.metadata, name, namespace: 'default' } }) },
    );
  }
  const { user, system } = process.cpuUsage(before);
  measured.best = Math.min(measured.best, (user + system) / WRITES);
}

const names = flags.each ? (await control()).plugins.map(({ name }) => name) : [];
const none = await candidate('no plugins', () => false);
const all = await candidate('all of them', () => true);
const complete = await candidate('no plugins, as they leave it', () => false, await completed(all));
const judged = await policies();
const each = await Promise.all(names.map((name) => candidate(name, (plugin) => plugin.name === name)));
for (let at = 0; at < ROUNDS; at++)
  for (const measured of [none, complete, all, judged, ...each]) await round(measured);
for (const { name, best } of [none, complete, all, judged, ...each]) {
  const more = best - none.best;
  console.log(
    `${name.padEnd(32)} ${best.toFixed(1).padStart(8)} µs${more === 0 ? '' : `  ${more.toFixed(1).padStart(7)} more`}`,
  );
}
for (const { api } of [none, complete, all, judged, ...each]) api.close();
process.exit(0);
