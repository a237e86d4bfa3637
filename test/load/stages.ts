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
  run(settings: StageSettings): Promise<Measurement[]>;
}

/** In the order in which they run: those that read memory first. */
export const STAGES: readonly Stage[] = [
  { name: 'process', about: 'memory when idle and after writes, time to start', run: processStage },
  {
    name: 'kinds',
    about: 'memory, discovery and start with 1, 100 and 1,000 definitions',

    run: kindStage,
  },
  {
    name: 'small-kinds',
    about: 'what 10,000 small definitions cost that nobody uses',

    run: smallKindStage,
  },
  { name: 'idle', about: 'memory of idle watchers', run: idleStage },
  { name: 'many', about: 'fan-out to 5,000, 10,000 (in full 15,000)', run: manyStage },
  { name: 'requests', about: 'creates, updates, deletions and gets', run: requestStage },
  {
    name: 'workloads',
    about: 'Deployments and Pods made, replaced and applied; codecs',

    run: workloadStage,
  },
  {
    name: 'custom',
    about: 'custom resources made, replaced, applied, listed and watched',

    run: customStage,
  },
  {
    name: 'conversion',
    about: 'custom resources in a version that a webhook makes',

    run: conversionStage,
  },
  { name: 'list', about: 'lists of 10,000 objects', run: listStage },
  { name: 'fan-out', about: 'deliveries under little and much load', run: fanOutStage },
  { name: 'http2', about: 'the same over HTTP/2', run: http2Stage },
  { name: 'herd', about: 'watchers that start from nothing', run: herdStage },
  { name: 'audiences', about: 'watchers each of an object of its own', run: audiencesStage },
  { name: 'lists', about: 'many lists at a time, gzip', run: listsStage },
  { name: 'writes', about: 'hot object, events beside others, mass deletion', run: writesStage },
  { name: 'snapshot', about: 'a million updates beside an open snapshot', run: snapshotStage },
  { name: 'growth', about: 'costs as objects, watchers and history grow', run: growthStage },
];
