import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cluster, type ClusterSettings, waitUntil } from '../../tools/up/index.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { FaultMarks, keepTimes, type MeasuredTime } from './fault-times.js';
import { isShipped, type Longest, type Pace, paceOf } from './pace.js';
import { type MonitoredPod, podMonitors, scrapeConfigsOf } from './pod-monitors.js';
import { Prometheus, type ScrapeFiles } from './prometheus.js';
import { alertNames, readRules, rulesText } from './rule-file.js';

/** The rules that operators are given. */
export const RULES = fileURLToPath(new URL('../../deploy/prometheus/rules/orch.yml', import.meta.url));

/** In which each of them is asked for the first time. */
const ASKED_MS = 120_000;

/** Names of what lies beside the configuration of Prometheus. */
const FILES: ScrapeFiles = { ca: 'ca.crt', token: 'token' };

/** A cluster, and a Prometheus that asks its servers as the chart's PodMonitors have it ask their pods. */
export interface Stage {
  readonly dir: string;
  readonly cluster: Cluster;
  readonly prometheus: Prometheus;
  /** Has Prometheus find nobody to ask, and the same as before again. */
  loseTargets(): Promise<void>;
  findTargets(): Promise<void>;
  /** Makes the fault that these alerts are for. */
  breaks(alerts: readonly string[], make: () => unknown): Promise<void>;
  /** Resolves when each alert of the faults that there are has been seen to fire. */
  firing(): Promise<void>;
  /** Mends all faults that there are. */
  mends(mend: () => unknown): Promise<void>;
  /** Resolves when none fires. */
  silent(): Promise<void>;
  /** Times of each alert, from its first fault and from its repair; kept if the rules are the shipped ones. */
  times(): Promise<ReadonlyMap<string, MeasuredTime>>;
  close(): Promise<void>;
}

/** Settings of a stage's Prometheus in addition to those that operators get. */
export interface StageMore {
  /** Texts of rule files, by name. */
  readonly rules?: Readonly<Record<string, string>>;
  /** Further scrape configurations. */
  readonly scrapes?: (cluster: Cluster) => Promise<readonly object[]>;
  /** Alerts are waited for that take so long at the pace that is shipped; twenty minutes to fire and twelve to end when absent. */
  readonly longest?: Longest;
  /** Samples from before the start, as OpenMetrics. */
  readonly past?: string;
}

export async function openStage(settings: Omit<ClusterSettings, 'dir'>, more: StageMore = {}): Promise<Stage> {
  const monitors = podMonitors();
  const groups = readRules(RULES);
  const pace = paceOf(groups, more.longest);
  const marks = new FaultMarks();
  const dir = makeServerFolder('orch-sight-');
  const cluster = await startCluster({ dir, loadBalancer: 'haproxy', ...settings });
  const further = (await more.scrapes?.(cluster)) ?? [];
  const scrapes = (files: ScrapeFiles) => [...scrapeConfigsOf(monitors, pods(cluster), files), ...further];
  const prometheus = await Prometheus.start({
    dir: join(dir, 'prometheus'),
    scrapeConfigs: scrapes,
    rules: { 'orch.yml': rulesText(pace.rules(groups)), ...more.rules },
    step: pace.step,
    ca: cluster.ca,
    token: cluster.token,
    past: more.past,
  });
  await hasAskedAll(prometheus, scrapes(FILES) as readonly ScrapeConfig[]);
  const nameOf = alertNames(groups);
  const firing = async () => [...new Set((await prometheus.firing()).map(nameOf))];
  return {
    dir,
    cluster,
    prometheus,
    loseTargets: () => prometheus.ask(scrapes(FILES).map((config) => ({ ...config, static_configs: [] }))),
    findTargets: () => prometheus.ask(scrapes(FILES)),
    async breaks(alerts, make) {
      marks.made(alerts);
      await make();
    },
    // What did not happen is measured too.
    firing: () => orMeasured(allFire(firing, pace, marks.open)),
    async mends(mend) {
      marks.mended();
      await mend();
    },
    silent: () => orMeasured(noneFires(firing, pace)),
    async times() {
      const times = marks.times(await prometheus.firings(marks.lasted + 60, nameOf), await firing(), pace.step);
      if (isShipped) keepTimes(times);
      return times;
    },
    async close() {
      await prometheus.process.stop();
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The part of a scrape configuration that names the targets. */
interface ScrapeConfig {
  readonly static_configs: readonly { readonly targets: readonly string[] }[];
}

/** Waits until all targets were scraped: Prometheus does not see growth from before the first sample. */
async function hasAskedAll(prometheus: Prometheus, configs: readonly ScrapeConfig[]): Promise<void> {
  const targets = configs.flatMap(({ static_configs }) => static_configs.flatMap(({ targets }) => targets));
  const asked = async () => (await prometheus.query('up')).length >= targets.length;
  await waitUntil('Prometheus has asked all servers', ASKED_MS, asked);
}

/** Reports a failed step and continues if alerts are being measured; rejects otherwise. */
const orMeasured = (step: Promise<void>): Promise<void> =>
  isShipped ? step.catch((error: unknown) => console.error(String(error))) : step;

/** Names of the alerts that fire. */
type Firing = () => Promise<string[]>;

async function allFire(firing: Firing, pace: Pace, names: readonly string[]): Promise<void> {
  let left = pace.awaited(names, 'fires');
  const look = async () => {
    const now = await firing();
    left = left.filter((name) => !now.includes(name));
    return left.length === 0;
  };
  await waitUntil('alerts fire', pace.within(left, 'fires'), look).catch((cause: unknown) => {
    throw new Error(`alerts do not fire: ${left.join(', ')}`, { cause });
  });
}

async function noneFires(firing: Firing, pace: Pace): Promise<void> {
  let left = await firing();
  const within = pace.within(left, 'ends');
  const look = async () => {
    left = pace.awaited(await firing(), 'ends');
    return left.length === 0;
  };
  await waitUntil('no alert fires', within, look).catch((cause: unknown) => {
    throw new Error(`alerts fire on: ${left.join(', ')}`, { cause });
  });
}

/** The servers as the pods that the chart would make of them. */
function pods({ apiServerUrls, gatewayUrls, loadBalancerHealthUrl }: Cluster): MonitoredPod[] {
  const servers = (component: string, urls: readonly string[]) =>
    urls.map((url) => ({ component, ports: { https: new URL(url).host } }));
  return [
    ...servers('api-server', apiServerUrls),
    ...servers('watch-gateway', gatewayUrls),
    { component: 'load-balancer', ports: { health: new URL(loadBalancerHealthUrl).host } },
  ];
}
