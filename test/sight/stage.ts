import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cluster, type ClusterSettings, waitUntil } from '../../tools/up/index.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { type MonitoredPod, podMonitors, scrapeConfigsOf } from './pod-monitors.js';
import { Prometheus, type ScrapeFiles } from './prometheus.js';
import { hurried, readRules, rulesText } from './rule-file.js';

/** The rules that operators are given. */
export const RULES = fileURLToPath(new URL('../../deploy/prometheus/rules/orch.yml', import.meta.url));

/** In the place of minutes and hours in rules. */
export const WINDOW = '20s';
export const PATIENCE = '8s';
export const ALERT_MS = 60_000;

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
  /** Resolves when each of these alerts has been seen to fire. */
  firing(...names: readonly string[]): Promise<void>;
  /** Resolves when none does. */
  silent(): Promise<void>;
  close(): Promise<void>;
}

/** What the Prometheus of a stage does beside what operators are given. */
export interface StageMore {
  /** Texts of rule files, by name. */
  readonly rules?: Readonly<Record<string, string>>;
  /** Further scrape configurations. */
  readonly scrapes?: (cluster: Cluster) => Promise<readonly object[]>;
}

export async function openStage(settings: Omit<ClusterSettings, 'dir'>, more: StageMore = {}): Promise<Stage> {
  const monitors = podMonitors();
  const dir = makeServerFolder('orch-sight-');
  const cluster = await startCluster({ dir, loadBalancer: 'haproxy', ...settings });
  const further = (await more.scrapes?.(cluster)) ?? [];
  const scrapes = (files: ScrapeFiles) => [...scrapeConfigsOf(monitors, pods(cluster), files), ...further];
  const prometheus = await Prometheus.start({
    dir: join(dir, 'prometheus'),
    scrapeConfigs: scrapes,
    rules: { 'orch.yml': rulesText(hurried(readRules(RULES), WINDOW, PATIENCE)), ...more.rules },
    ca: cluster.ca,
    token: cluster.token,
  });
  return {
    dir,
    cluster,
    prometheus,
    loseTargets: () => prometheus.ask(scrapes(FILES).map((config) => ({ ...config, static_configs: [] }))),
    findTargets: () => prometheus.ask(scrapes(FILES)),
    firing: (...names) => allFire(prometheus, names),
    silent: () => noneFires(prometheus),
    async close() {
      await prometheus.process.stop();
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function allFire(prometheus: Prometheus, names: readonly string[]): Promise<void> {
  let left = [...names];
  const look = async () => {
    const now = await prometheus.firing();
    left = left.filter((name) => !now.includes(name));
    return left.length === 0;
  };
  await waitUntil('alerts fire', ALERT_MS, look).catch((cause: unknown) => {
    throw new Error(`alerts do not fire: ${left.join(', ')}`, { cause });
  });
}

async function noneFires(prometheus: Prometheus): Promise<void> {
  let firing: readonly string[] = [];
  const look = async () => {
    firing = await prometheus.firing();
    return firing.length === 0;
  };
  await waitUntil('no alert fires', ALERT_MS, look).catch((cause: unknown) => {
    throw new Error(`alerts fire on: ${[...new Set(firing)].join(', ')}`, { cause });
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
