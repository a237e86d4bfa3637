import type { ServedApi } from '@orch/apiserver';
import { type NamingProfile, namesOf } from '@orch/machinery';
import type { Component, OptionValues } from '@orch/runtime';
import type { SchedulingComponent } from '@orch/scheduler-process';

/** Options of the scheduler in this process. */
export const schedulerOptions = {
  scheduler: {
    type: 'string',
    choices: ['auto', 'on', 'off'],
    default: 'auto',
    help: 'Whether this process chooses nodes for pods; auto: where --node-runtime runs pods.',
  },
  'scheduler-config': {
    type: 'string',
    help: 'File with a KubeSchedulerConfiguration for the scheduler in this process. Its clientConnection has no effect.',
  },
} as const;

/** Settings of the scheduler of this process. */
interface SchedulerSettings extends OptionValues<typeof schedulerOptions> {
  /** See `--node-runtime`, which decides where `--scheduler` is not given. */
  readonly nodeRuntime: string;
  /** Naming profile of the API. */
  readonly naming: NamingProfile;
}

/** Pods that are bound at a time, as `orch scheduler` has it by default. */
const MAX_BINDINGS = 32;
/** The scheduler as a user of the API, in this process as in one of its own. */
const USER = { name: 'system:kube-scheduler', groups: [], agent: 'kube-scheduler' };

/**
 * Reads the configuration of the scheduler of this process, and returns what makes it beside the API; it makes nothing where pods are left
 * to others. The scheduler competes for the Lease of all schedulers, so one that runs elsewhere and this one never bind at the same time.
 * @throws Error for a configuration that cannot be read or used
 */
export async function schedulerOf(settings: SchedulerSettings): Promise<(api: ServedApi) => Component[]> {
  const { scheduler: wanted, nodeRuntime, schedulerConfig: file, naming } = settings;
  if (wanted === 'off' || (wanted === 'auto' && nodeRuntime === 'none')) return () => [];
  // A process that schedules nothing does not load it.
  const { configurationOf, maxVolumesOf, schedulingComponent } = await import('@orch/scheduler-process');
  const { localCluster } = await import('./local-cluster.js');
  const names = namesOf(naming);
  const { configuration, warnings: read } = await configurationOf({ file, names });
  const { warning, ...limit } = maxVolumesOf(process.env);
  const warnings = warning === undefined ? read : [...read, warning];
  const schedulingOf = (api: ServedApi): SchedulingComponent => {
    const { logger } = api;
    for (const each of warnings) logger.warn(each);
    const shared = { maxBindings: MAX_BINDINGS, metrics: api.metrics(), logger, configuration, names, ...limit };
    return schedulingComponent({ ...shared, cluster: localCluster(api.as(USER), names, logger) });
  };
  return (api) => [componentOf(api, schedulingOf)];
}

function componentOf(api: ServedApi, make: (api: ServedApi) => SchedulingComponent): Component {
  let scheduling: SchedulingComponent | undefined;
  const start = async () => {
    scheduling = make(api);
    // The API is there for others already, who may have to give the scheduler its rights.
    void scheduling.start().catch((error: unknown) => api.logger.error('the scheduler', error));
  };
  return { name: 'scheduler', start, stop: async (deadline) => scheduling?.stop(deadline) };
}
