import type { Runtime } from '@orch/container-runtime';
import type { EventSink } from '@orch/pod-environment';
import type { ImagePuller } from '../images/image-puller.js';
import type { FailedProbe } from './actions.js';
import type { Backoffs } from './backoffs.js';
import type { ContainerConfigs } from './container-configs.js';
import type { ContainerKiller } from './container-killer.js';
import type { LifecycleHooks } from './hooks.js';
import type { SandboxConfigs } from './sandbox-configs.js';

/** Dependencies of a PodRunner. */
export interface PodRunnerSettings {
  /** Runtime of the containers. */
  readonly runtime: Runtime;
  /** Makes settings of sandboxes. */
  readonly sandboxes: Pick<SandboxConfigs, 'of' | 'handlerOf'>;
  /** Makes settings of containers. */
  readonly configs: Pick<ContainerConfigs, 'of'>;
  /** Brings images onto the node. */
  readonly images: Pick<ImagePuller, 'ensure'>;
  /** Ends containers. */
  readonly killer: Pick<ContainerKiller, 'kill'>;
  /** Runs hooks after the start. */
  readonly hooks: Pick<LifecycleHooks, 'run'>;
  /** Waits of containers that end again and again. */
  readonly backoffs: Backoffs;
  /** Returns the probe by which a container has to be killed. */
  readonly failedProbe: FailedProbe;
  /** Returns the addresses that pods share with the node; absent where they have their own. */
  readonly nodeIPs?: () => readonly string[];
  /** Receives what is to be reported. */
  readonly events: EventSink;
}
