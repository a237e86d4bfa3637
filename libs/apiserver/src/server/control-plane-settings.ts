import type { MetricsText } from '@orch/discovery';
import type { ChangeBus } from '@orch/feed';
import type { Logger, Metrics } from '@orch/runtime';
import type { ServingStore, StoreObserver } from '@orch/storage';
import type { BusSettings } from './change-bus.js';
import type { BackendOptions, ServingOptions } from './options.js';

/** What tells one kind of process from another. */
export interface Role {
  /** What the process is called in traces. */
  readonly name: string;
  /** Gateways that watches are handed to; empty where they are served here. */
  readonly gatewayUrls: readonly string[];
  /** Whether api-servers hand watches to it. Default false. */
  readonly takesHandedWatches?: boolean;
  /** Looks after what is shared by the installation: default objects, namespaces on their way out. */
  readonly housekeeping: boolean;
}

/** What whoever opens the state may use of the process. */
export interface StoreHost {
  /** Those of the process. */
  readonly metrics: Metrics;
  /** That of the process. */
  readonly logger: Logger;
  /** Ends the process with an error: the state cannot be had any more. */
  fail(error: unknown): void;
  /** Aborts when the process is told to end: what is being opened need not be opened any more. */
  readonly stopping: AbortSignal;
}

/** Of what a process of the control plane is made. */
export interface ControlPlaneSettings {
  /** What it does beside serving the API. */
  readonly role: Role;
  /** Addresses, credentials, limits and features: values of {@link servingOptions}. */
  readonly serving: ServingOptions;
  /** Where the database and the bus are: values of {@link backendOptions}. */
  readonly backend: BackendOptions;
  /** Opens the state, once what it needs is running. */
  openStore(observer: StoreObserver, host: StoreHost): Promise<ServingStore>;
  /** Lets go of what {@link openStore} has started; called once everything has been stopped, and before the process exits. */
  releaseStore?(): Promise<void>;
  /** Opens what announces changes between processes. */
  openBus(settings: BusSettings): ChangeBus;
  /** What is answered for the metrics of this process. Default: themselves. */
  readonly metricsPage?: (own: MetricsText) => MetricsText;
}
