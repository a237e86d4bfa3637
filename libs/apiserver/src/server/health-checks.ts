import { afterGrace, HealthRegistry, type Logger, shutdownCheck } from '@orch/runtime';

/** A feed that has not been confirmed for so long may be missing changes of most types, in milliseconds. */
const MAX_LAG_MS = 5_000;

/** Health of the components that all processes of the control plane have. */
export interface ComponentSettings {
  /** Rejects while the database cannot be reached. */
  pingStore(): Promise<void>;
  /** Milliseconds since at least half of the types that are followed were known to miss nothing. */
  feedLag(): number;
}

/** The checks of these parts, for health endpoints and component statuses alike. */
export function componentChecks({ pingStore, feedLag }: ComponentSettings) {
  return {
    database: { name: 'postgres', check: () => pingStore() },
    feed: {
      name: 'feed',
      check() {
        const lag = feedLag();
        if (lag > MAX_LAG_MS) throw new Error(`the change feed was last confirmed ${Math.round(lag)} ms ago`);
      },
    },
  };
}

interface HealthChecksSettings extends ComponentSettings {
  readonly logger: Logger;
  /** Aborted when the process is asked to stop. */
  readonly stopping: AbortSignal;
  /** Milliseconds for which a process that is still starting counts as live. */
  readonly livezGraceMs: number;
  /**
   * Whether the objects exist that clients rely on (the namespace `default`, the kubeconfig); sockets are open before.
   */
  isBootstrapped(): boolean;
  /** Whether all roles and bindings are known, those among them that every installation has. */
  hasPolicy(): boolean;
  /** Encryption of bodies at rest; absent where nothing is encrypted. */
  readonly encryption?: { check(): Promise<void> };
}

/** The named checks of a serving process (spec: "Health endpoints"). */
export function healthChecks(settings: HealthChecksSettings): HealthRegistry {
  const bootstrap = {
    name: 'bootstrap',
    check() {
      if (!settings.isBootstrapped()) throw new Error('the process is still starting');
    },
  };
  const policy = {
    name: 'poststarthook/rbac/bootstrap-roles',
    check() {
      if (!settings.hasPolicy()) throw new Error('roles and bindings are not known yet');
    },
  };
  const { database, feed } = componentChecks(settings);
  const registry = new HealthRegistry({ logger: settings.logger })
    .add(database, 'readyz', 'healthz')
    .add(feed, 'readyz')
    .add(shutdownCheck(settings.stopping), 'readyz')
    .add(bootstrap, 'readyz')
    .add(policy, 'readyz', 'healthz')
    .add(afterGrace(bootstrap, settings.livezGraceMs), 'livez');
  const { encryption } = settings;
  // Not part of livez: a restart would lose the cached keys with which the server still decrypts.
  return encryption
    ? registry.add({ name: 'kms-providers', check: () => encryption.check() }, 'readyz', 'healthz')
    : registry;
}
