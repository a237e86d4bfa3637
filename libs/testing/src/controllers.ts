import { ProcessObjects } from '@orch/admission-host';
import { alwaysAllow } from '@orch/authorization';
import { type Controller, type ControllerGroup, ControllerManager, workQueueMetrics } from '@orch/controllers';
import { NamespaceContents, namespaceController } from '@orch/maintenance';
import { type Clock, Metrics, systemClock } from '@orch/runtime';
import { Leadership } from '@orch/runtime/work';
import { ControllerClient, type LocalHost } from '@orch/writing';
import type { TestApi } from './test-api.js';

/** What controllers on an API in memory write through: everything is allowed, nothing is recorded, unless the test says otherwise. */
export const controllerHost = ({ deps, store }: TestApi, more: Partial<LocalHost> = {}): LocalHost => {
  const { names, pipeline, remover } = deps;
  const allowed = { authorizer: alwaysAllow, audit: undefined, term: () => 1, clock: systemClock };
  return { names, pipeline, remover, store, ...allowed, ...more };
};

type Lease = ConstructorParameters<typeof Leadership>[0];

/** How controllers of a test are run. */
export interface RunSettings {
  /** Called with each failure that is tried again. Default: the test fails. */
  readonly onError?: (error: unknown) => void;
  /** Default: the machine's time. */
  readonly clock?: Clock;
  /** Whether the lease is to be had. Default: always. */
  readonly isFree?: () => boolean;
  /** Lease that the processes of the test compete for. Default: one of this process, as `isFree` says. */
  readonly lease?: Lease;
}

/** Controllers that run. */
export interface RunningControllers {
  readonly manager: ControllerManager;
  /** Ends them and what they follow. */
  stop(): Promise<void>;
}

const fail = (error: unknown): never => {
  throw error;
};

/** Runs a group of controllers, in a process of its own as far as leases are concerned. */
export async function runControllers(
  group: ControllerGroup,
  { onError = fail, clock = systemClock, isFree = () => true, lease }: RunSettings = {},
): Promise<RunningControllers> {
  const own = { take: async () => isFree(), giveBack: async () => undefined };
  const leadership = new Leadership(lease ?? own, clock);
  const manager = new ControllerManager(group.controllers, {
    ...{ leadership, clock, onError, metrics: workQueueMetrics(new Metrics()) },
  });
  await group.start?.();
  manager.start();
  return {
    manager,
    async stop() {
      await manager.stop();
      await group.stop?.();
    },
  };
}

/** What plugins and controllers follow on an API in memory. To be started once everything is named that is followed. */
export function followedOn(api: TestApi) {
  const objects = new ProcessObjects();
  const { store, deps, feed } = api;
  const source = {
    snapshot: store.snapshot.bind(store),
    get: store.get.bind(store),
    onCommit: store.onCommit.bind(store),
    onRewind: () => () => undefined,
  };
  return {
    follow: (resource: string, group = '') => objects.forPlugin().objects.follow({ group, resource }),
    start: () => objects.start({ deps, store: source, feed, onError: fail }),
    stop: () => objects.stop(),
  };
}

/** Runs the controller that empties namespaces which are being deleted. */
export async function runNamespaceController(api: TestApi, settings: RunSettings = {}): Promise<RunningControllers> {
  const followed = followedOn(api);
  const client = new ControllerClient(controllerHost(api), 'namespace-controller');
  const { store, namespaced } = api;
  const { clock } = settings;
  const controller: Controller = namespaceController({
    ...{
      names: api.deps.names,
      endpoint: api.endpoint('namespaces'),
      namespaces: followed.follow('namespaces').informer,
    },
    ...{ contents: new NamespaceContents({ store, client, namespaced }), client, now: api.deps.now },
    current: async (name) => api.stored('namespaces', name),
    ...(clock && { clock }),
    onError: settings.onError ?? fail,
  });
  return runControllers({ ...followed, controllers: [controller] }, settings);
}
