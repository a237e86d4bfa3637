import { setFlagsFromString } from 'node:v8';
import {
  createLogger,
  HealthRegistry,
  Lifecycle,
  type Logger,
  Metrics,
  resolveFeatures,
  shutdownCheck,
} from '@orch/runtime';
import { FEATURES } from '@orch/schema';
import { ErrorCounts } from '../metrics/error-counts.js';
import { access, fairness, sharedVerdicts } from './components/access.js';
import { admission, plugins, quotas } from './components/admission.js';
import { aggregatedApis } from './components/aggregation.js';
import { api } from './components/api.js';
import { audit } from './components/audit.js';
import { chain } from './components/chain.js';
import { connections } from './components/connections.js';
import { controllers } from './components/controllers.js';
import { credentials } from './components/credentials.js';
import { customResources } from './components/custom-resources.js';
import { documents } from './components/documents.js';
import { feed } from './components/feed.js';
import { housekeeping } from './components/housekeeping.js';
import { idleCollector } from './components/idle-collector.js';
import { listeners } from './components/listeners.js';
import { observation } from './components/observation.js';
import { ControlPlaneProcess, checkParts, type DeclaredComponent, stateOf } from './components/process.js';
import { serviceEndpoints } from './components/service-endpoints.js';
import { closingWatch, store } from './components/store.js';
import { warmUp } from './components/warm-up.js';
import { watches } from './components/watches.js';
import type { ControlPlaneSettings } from './control-plane-settings.js';
import { LocalApi, type LocalUser } from './local/local-api.js';
import { localHostOf } from './local/local-host.js';

/** Components of a process, in the order in which they start; they stop the other way round. */
export const COMPONENTS: readonly DeclaredComponent[] = [
  observation,
  plugins,
  store,
  feed,
  api,
  admission,
  quotas,
  customResources,
  sharedVerdicts,
  access,
  fairness,
  credentials,
  audit,
  aggregatedApis,
  housekeeping,
  controllers,
  closingWatch,
  watches,
  connections,
  documents,
  chain,
  listeners,
  warmUp,
  serviceEndpoints,
  idleCollector,
];

interface ControlPlane {
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  /** Returns the address of the API and the administrator's kubeconfig, once started. */
  address(): { readonly url: string; readonly kubeconfig: string | undefined };
  /** Whether `/readyz` reports that the process is ready. */
  isReady(): Promise<boolean>;
}

/** Joins state, feed, cache and sockets to one process; nothing runs before the lifecycle is started. */
export function createControlPlane(settings: ControlPlaneSettings): ControlPlane {
  const { serving } = settings;
  // By itself V8 allows a heap of this size so little that buffers alone use it up: a full collection a second.
  setFlagsFromString(`--heap-growing-percent=${serving.heapGrowth}`);
  const loggedErrors = new ErrorCounts();
  const onError = (message: string) => loggedErrors.count(message);
  const logger = createLogger({ format: serving.loggingFormat, verbosity: serving.v, onError });
  const lifecycle = new Lifecycle({
    shutdownDelayMs: serving.shutdownDelayDuration,
    drainMs: serving.shutdownDrainDuration,
    logger,
  });
  const features = resolveFeatures(FEATURES, serving.featureGates);
  for (const warning of features.warnings) logger.warn(warning);
  const health = new HealthRegistry({ logger }).add(shutdownCheck(lifecycle.stopping), 'readyz');
  const process = new ControlPlaneProcess({ settings, logger, features, lifecycle, loggedErrors, health });
  checkParts(COMPONENTS);
  for (const component of COMPONENTS) lifecycle.add(component.of(process));
  const { companions = () => [] } = settings;
  const authority = () => process.peek('credentials')?.current.servingCa;
  const metrics = () => process.peek('observation')?.metrics ?? new Metrics();
  const as = (user: LocalUser) => {
    const watches = process.need('watches');
    return new LocalApi({ ...stateOf(process), watches, host: localHostOf(process) }, user);
  };
  for (const component of companions({ url: () => address().url, authority, logger, metrics, as }))
    lifecycle.add(component);
  const address = () => ({ url: process.peek('served')?.url ?? '', kubeconfig: serving.kubeconfigOut });
  const isReady = async () => (await health.handle('/readyz', new URLSearchParams()))?.status === 200;
  return { lifecycle, logger, address, isReady };
}
