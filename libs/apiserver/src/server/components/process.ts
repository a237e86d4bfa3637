import type { AccessControl } from '@orch/access';
import type { FollowedObjects } from '@orch/admission';
import type { AdmissionControl, AdmissionObserver, AdmissionWebhooks, Webhooks } from '@orch/admission-host';
import type { AggregatedApis } from '@orch/aggregation';
import type { AuditLog } from '@orch/audit';
import type { ApiTokens, Credentials, ServiceAccountKeys } from '@orch/credentials';
import type { CustomResources } from '@orch/custom-resources';
import type { Encryption } from '@orch/encryption';
import type { Fairness } from '@orch/fairness';
import type { FollowedByNamespaces } from '@orch/maintenance';
import type { FeatureGates, HealthRegistry, Lifecycle, Logger } from '@orch/runtime';
import type { FeatureName } from '@orch/schema';
import type { Auditor } from '@orch/serving';
import type { SealedStore } from '@orch/storage';
import type { RedisRates, RedisVerdicts } from '@orch/webhooks';
import type { ErrorCounts } from '../../metrics/error-counts.js';
import type { Observation } from '../../metrics/observation.js';
import type { Api } from '../assemble.js';
import type { ChangeFeed } from '../change-feed.js';
import type { ControlPlaneSettings } from '../control-plane-settings.js';
import type { ComponentSettings } from '../health-checks.js';
import type { Served } from '../serve.js';

/** What components of a process make and others need; each is there once the component that makes it has started. */
interface Parts {
  readonly observation: Observation;
  /** Nothing of it where nothing is encrypted. */
  readonly encryption: Encryption | undefined;
  readonly store: SealedStore;
  readonly changes: ChangeFeed;
  readonly api: Api;
  readonly admission: AdmissionControl;
  readonly admissionObserver: AdmissionObserver;
  /** Limits that all processes share; absent without Redis. */
  readonly sharedRates: RedisRates | undefined;
  readonly admissionWebhooks: AdmissionWebhooks;
  /** Where this process keeps house. */
  readonly followed: FollowedByNamespaces | undefined;
  /** Where this process keeps house, and policies are judged. */
  readonly policies: FollowedObjects | undefined;
  readonly customResources: CustomResources;
  readonly webhooks: Webhooks;
  /** Absent without Redis. */
  readonly sharedVerdicts: RedisVerdicts | undefined;
  readonly access: AccessControl;
  readonly fairness: Fairness;
  readonly serviceAccountKeys: ServiceAccountKeys;
  readonly tokens: ApiTokens;
  readonly credentials: Credentials;
  readonly audit: AuditLog;
  /** Records requests; undefined where nothing is recorded. */
  readonly auditor: Auditor | undefined;
  readonly aggregated: AggregatedApis;
  readonly healthEndpoints: HealthRegistry;
  readonly served: Served;
}

/** A process of the control plane while it is put together: what its components have in common. */
export class ControlPlaneProcess {
  readonly #parts: Partial<Parts> = {};

  constructor(
    readonly settings: ControlPlaneSettings,
    readonly logger: Logger,
    readonly features: FeatureGates<FeatureName>,
    readonly lifecycle: Pick<Lifecycle, 'stopping' | 'fail'>,
    /** Errors that {@link logger} has written. */
    readonly loggedErrors: ErrorCounts,
  ) {}

  /** Gives others what they need. */
  provide(parts: Partial<Parts>): void {
    Object.assign(this.#parts, parts);
  }

  /** @throws Error before the component that makes it has started */
  need<Name extends keyof Parts>(name: Name): Parts[Name] {
    if (!(name in this.#parts)) throw new Error(`a part of the process was used before it was started: ${name}`);
    return this.#parts[name] as Parts[Name];
  }

  /** What may not have been made: by a process that is stopped as it starts. */
  peek<Name extends keyof Parts>(name: Name): Parts[Name] | undefined {
    return this.#parts[name];
  }

  /** What most components work on. */
  get state() {
    return { deps: this.need('api').deps, store: this.need('store'), feed: this.need('changes').feed };
  }

  /** Where what is seen is told. */
  get telling() {
    return { metrics: this.need('observation').metrics, logger: this.logger };
  }

  /** What says how this process is. */
  get health(): ComponentSettings {
    return { pingStore: () => this.need('store').ping(), feedLag: () => this.need('changes').medianLag() };
  }
}
