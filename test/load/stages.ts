import type { Measurement } from './report.js';
import type { StageSettings } from './settings.js';
import { audiencesStage } from './stages/audiences.js';
import { conversionStage } from './stages/conversion.js';
import { customStage } from './stages/custom.js';
import { fanOutStage } from './stages/fan-out.js';
import { growthStage } from './stages/growth.js';
import { herdStage } from './stages/herd.js';
import { http2Stage } from './stages/http2.js';
import { idleStage } from './stages/idle.js';
import { kindStage } from './stages/kinds.js';
import { listStage } from './stages/list.js';
import { listsStage } from './stages/lists.js';
import { manyStage } from './stages/many.js';
import { processStage } from './stages/process.js';
import { requestStage } from './stages/requests.js';
import { smallKindStage } from './stages/small-kinds.js';
import { snapshotStage } from './stages/snapshot.js';
import { workloadStage } from './stages/workloads.js';
import { writesStage } from './stages/writes.js';

export interface Stage {
  readonly name: string;
  readonly about: string;
  /** Runs when no stages are named; the others take minutes. */
  readonly usual: boolean;
  run(settings: StageSettings): Promise<Measurement[]>;
}

/** In the order in which they run: those that read memory first. */
export const STAGES: readonly Stage[] = [
  { name: 'process', about: 'memory when idle and after writes, time to start', usual: false, run: processStage },
  {
    name: 'kinds',
    about: 'memory, discovery and start with 1, 100 and 1,000 definitions',
    usual: false,
    run: kindStage,
  },
  {
    name: 'small-kinds',
    about: 'what 10,000 small definitions cost that nobody uses',
    usual: false,
    run: smallKindStage,
  },
  { name: 'idle', about: 'memory of idle watchers', usual: true, run: idleStage },
  { name: 'many', about: 'fan-out to 5,000, 10,000 (in full 15,000)', usual: false, run: manyStage },
  { name: 'requests', about: 'creates, updates, deletions and gets', usual: true, run: requestStage },
  {
    name: 'workloads',
    about: 'Deployments and Pods made, replaced and applied; codecs',
    usual: true,
    run: workloadStage,
  },
  {
    name: 'custom',
    about: 'custom resources made, replaced, applied, listed and watched',
    usual: true,
    run: customStage,
  },
  {
    name: 'conversion',
    about: 'custom resources in a version that a webhook makes',
    usual: true,
    run: conversionStage,
  },
  { name: 'list', about: 'lists of 10,000 objects', usual: true, run: listStage },
  { name: 'fan-out', about: 'deliveries under little and much load', usual: true, run: fanOutStage },
  { name: 'http2', about: 'the same over HTTP/2', usual: true, run: http2Stage },
  { name: 'herd', about: 'watchers that start from nothing', usual: true, run: herdStage },
  { name: 'audiences', about: 'watchers each of an object of its own', usual: false, run: audiencesStage },
  { name: 'lists', about: 'many lists at a time, gzip', usual: false, run: listsStage },
  { name: 'writes', about: 'hot object, events beside others, mass deletion', usual: false, run: writesStage },
  { name: 'snapshot', about: 'a million updates beside an open snapshot', usual: false, run: snapshotStage },
  { name: 'growth', about: 'costs as objects, watchers and history grow', usual: false, run: growthStage },
];
