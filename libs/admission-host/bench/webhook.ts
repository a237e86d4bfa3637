/**
 * What an admission webhook costs a create beside its own time: creates of a small object in memory without and with a validating
 * and with a mutating webhook that changes it, and the same review sent by hand over a kept connection.
 *
 *   npx tsx --conditions=source libs/admission-host/bench/webhook.ts [--creates=2000] [--rounds=5]
 *
 * The webhook is in a process of its own. Rounds take turns, the least median of each counts; overhead is what is left of a create with a
 * webhook after one without and the review by hand are taken away; of CPU of this process too, which says more on a machine that has much to do.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { AdmissionPlugin } from '@orch/admission';
import { pluginContext, pluginOf, TestObjects } from '@orch/admission/testing';
import { Transport } from '@orch/client';
import { testApi } from '@orch/testing';
import { AdmissionServer, patching } from '@orch/webhooks/testing';
import { serverForUsers } from '@orch/writing';
import { AdmissionWebhooks } from '../src/admission-webhooks.js';

interface Place {
  readonly url: string;
  readonly caBundle: string;
}

let made = 0;
const [role, ...args] = process.argv.slice(2);
if (role === 'webhook') await serveWebhook();
else await measure(role === undefined ? args : [role, ...args]);

async function serveWebhook(): Promise<void> {
  const server = await AdmissionServer.start();
  server.answer('/change', () => {
    server.calls('/change').length = 0;
    return patching([{ op: 'add', path: '/data/added', value: 'x' }]);
  });
  server.answer('/allow', () => {
    server.calls('/allow').length = 0;
    return {};
  });
  process.send?.(server.clientConfig(''));
  process.on('disconnect', () => process.exit());
}

async function measure(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: { creates: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '5' } },
  });
  const [creates, rounds] = [Number(values.creates), Number(values.rounds)];
  const child = fork(fileURLToPath(import.meta.url), ['webhook']);
  const [place] = (await once(child, 'message')) as [Place];
  const kinds = {
    'without a webhook': await creating([]),
    'with a validating webhook': await creating([await plugin('Validating', place, '/allow')]),
    'with a mutating webhook': await creating([await plugin('Mutating', place, '/change')]),
    'the review by hand': byHand(place),
  };
  const best = new Map<string, Cost>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, once] of Object.entries(kinds)) {
      const { wall, cpu } = await costOf(creates, once);
      const before = best.get(name) ?? { wall, cpu };
      best.set(name, { wall: Math.min(before.wall, wall), cpu: Math.min(before.cpu, cpu) });
    }
  }
  const show = (name: string, { wall, cpu }: Cost) =>
    console.log(`${name.padEnd(34)} ${wall.toFixed(0).padStart(6)} µs  ${cpu.toFixed(0).padStart(6)} µs of CPU`);
  const at = (name: keyof typeof kinds) => best.get(name) as Cost;
  for (const [name, cost] of best) show(name, cost);
  const [plain, hand] = [at('without a webhook'), at('the review by hand')];
  for (const name of ['with a validating webhook', 'with a mutating webhook'] as const) {
    const { wall, cpu } = at(name);
    show(`overhead ${name}`, { wall: wall - plain.wall - hand.wall, cpu: cpu - plain.cpu - hand.cpu });
  }
  child.disconnect();
  process.exit();
}

/** Median of the time, mean of the CPU; µs. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function costOf(times: number, work: () => Promise<unknown>): Promise<Cost> {
  const took: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(cpu);
  const median = took.sort((a, b) => a - b)[times >> 1] as number;
  return { wall: median * 1000, cpu: (user + system) / times };
}

async function creating(plugins: readonly { readonly plugin: AdmissionPlugin; start(api: Api): Promise<void> }[]) {
  const api = await testApi(
    {},
    'kubernetes',
    undefined,
    {},
    plugins.map(({ plugin }) => plugin),
  );
  for (const { start } of plugins) await start(api);
  return async () => {
    const name = `m${++made}`;
    const create = () => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
      data: { key: 'x'.repeat(500) },
    });
    await api.deps.pipeline.write(api.request('CREATE', 'configmaps', name, { caller: serverForUsers() }), { create });
    const key = { namespace: 'default', name };
    await api.deps.remover.remove(api.endpoint('configmaps'), key, { dryRun: false }, serverForUsers());
  };
}

type Api = Awaited<ReturnType<typeof testApi>>;

async function plugin(kind: 'Validating' | 'Mutating', { url, caBundle }: Place, path: string) {
  const ignore = () => undefined;
  const webhooks = new AdmissionWebhooks({
    observer: { called: ignore, failedOpen: ignore, conditionFailed: ignore, notAsked: ignore },
    mostHangingCalls: 50,
    exempt: { namespaces: new Set(), groups: new Set() },
  });
  const webhook = {
    name: 'bench.example.com',
    clientConfig: { url: url + path, caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], namespaceSelector: {}, objectSelector: {} },
  };
  const objects = new TestObjects();
  const context = pluginContext({ objects, webhooks: (configuration) => webhooks.for(configuration) });
  return {
    plugin: pluginOf(`${kind}AdmissionWebhook`, context),
    async start({ deps, served }: Api) {
      webhooks.start(
        { served, scheme: deps.scheme, maxValues: 100_000 },
        { addressOf: () => Promise.reject(new Error('no services')) },
      );
      const resource = `${kind.toLowerCase()}webhookconfigurations`;
      const configuration = { apiVersion: 'v1', kind: 'X', metadata: { name: 'bench' }, webhooks: [webhook] };
      objects.put('admissionregistration.orch.io', resource, configuration as never);
    },
  };
}

function byHand({ url, caBundle }: Place) {
  const transport = new Transport({ server: url, ca: Buffer.from(caBundle, 'base64').toString() });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'x'.repeat(800) } };
  const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: { uid: 'u', object } };
  const body = JSON.stringify(review);
  const headers = { 'content-type': 'application/json' };
  return () => transport.request('POST', '/allow', { body, headers });
}
