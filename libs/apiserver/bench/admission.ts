/**
 * What the plugins that are on by default cost the creation of a pod: through the pipeline, with a store in memory, with them and
 * without; with `--each` also each of them alone.
 *
 *   npx tsx --conditions=source libs/apiserver/bench/admission.ts [--writes=1000] [--rounds=7] [--each]
 *
 * CPU of the process in microseconds, of each the best round; rounds take turns.
 */
import { parseArgs } from 'node:util';
import type { AdmissionPlugin } from '@orch/admission';
import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { Metrics, silentLogger } from '@orch/runtime';
import { AdmissionControl } from '../src/admission/admission-control.js';
import { admissionOptions } from '../src/admission/admission-options.js';
import { pluginSurroundings } from '../src/admission/plugin-surroundings.js';
import { admissionMetrics } from '../src/metrics/admission-metrics.js';
import { MemoryStore } from '../src/testing/memory-store.js';
import { type TestApi, testApi } from '../src/testing/test-api.js';
import { serverItself } from '../src/writing/caller.js';

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
  best: number;
}

async function control() {
  const metrics = new Metrics();
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
    surroundings: pluginSurroundings({ metrics, sharedRates: undefined, deps: needed }),
  });
  return {
    plugins: opened.plugins,
    async start(made: TestApi) {
      api = made;
      const { deps, store, feed } = made;
      const source = {
        snapshot: store.snapshot.bind(store),
        onCommit: store.onCommit.bind(store),
        onRewind: () => () => undefined,
      };
      await opened.start({ deps, store: source, feed, onError: (error) => console.error(error) });
    },
  };
}

async function candidate(name: string, isAsked: (plugin: AdmissionPlugin) => boolean): Promise<Candidate> {
  const { plugins, start } = await control();
  const api = await testApi({}, PROFILE, new MemoryStore(), {}, plugins.filter(isAsked));
  await start(api);
  await api.create('serviceaccounts', { metadata: { name: 'default' } });
  return { name, api, best: Number.POSITIVE_INFINITY };
}

let created = 0;
async function round(measured: Candidate): Promise<void> {
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
        caller: serverItself(),
        options: { dryRun: false },
      },
      { create: () => copy({ ...POD, metadata: { ...POD.metadata, name, namespace: 'default' } }) },
    );
  }
  const { user, system } = process.cpuUsage(before);
  measured.best = Math.min(measured.best, (user + system) / WRITES);
}

const names = flags.each ? (await control()).plugins.map(({ name }) => name) : [];
const none = await candidate('no plugins', () => false);
const all = await candidate('all of them', () => true);
const each = await Promise.all(names.map((name) => candidate(name, (plugin) => plugin.name === name)));
for (let at = 0; at < ROUNDS; at++) for (const measured of [none, all, ...each]) await round(measured);
for (const { name, best } of [none, all, ...each]) {
  const more = best - none.best;
  console.log(
    `${name.padEnd(32)} ${best.toFixed(1).padStart(8)} µs${more === 0 ? '' : `  ${more.toFixed(1).padStart(7)} more`}`,
  );
}
for (const { api } of [none, all, ...each]) api.close();
process.exit(0);
