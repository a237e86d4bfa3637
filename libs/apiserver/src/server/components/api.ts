import { type KindSettings, nodePortRange } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { type Component, systemClock } from '@orch/runtime';
import { type FeatureName, loadScheme, type ResourceDefinition, type Scheme } from '@orch/schema';
import { AdmissionControl } from '../../admission/admission-control.js';
import { pluginSurroundings } from '../../admission/plugin-surroundings.js';
import { openSharedRates } from '../../credentials/shared-verdicts.js';
import { YamlReader } from '../../decoding/yaml-reader.js';
import { NO_REMOTE_DOCUMENTS } from '../../documents/remote-documents.js';
import { type AdmissionObserver, admissionMetrics } from '../../metrics/admission-metrics.js';
import { observeDatabaseLists, observeListCache, observeWatchOutputs } from '../../metrics/server-observers.js';
import { SlowReaders } from '../../watching/slow-readers.js';
import { assembleApi } from '../assemble.js';
import { runsController } from '../controller-options.js';
import { componentChecks } from '../health-checks.js';
import { followPolicies } from '../policy-checks.js';
import { servedSelection } from '../served-selection.js';
import { followForStanding } from '../standing-objects.js';
import { admissionWebhooks } from '../webhooks.js';
import type { ControlPlaneProcess } from './process.js';

/** Kinds, and the pipeline that all writes go through, with the plugins that are asked about them. */
export const api = (process: ControlPlaneProcess): Component => ({
  name: 'api',
  async start() {
    const observation = process.need('observation');
    const { metrics } = observation;
    const observer = admissionMetrics(metrics);
    await openAdmission(process, observer);
    await assemble(process, observer);
    const assembled = process.need('api');
    observation.followKinds(assembled.served);
    observeListCache(metrics, assembled.listCache);
    observeDatabaseLists(metrics, assembled.databaseLists);
    observeWatchOutputs(metrics, assembled.deps.watchOutputs);
    new SlowReaders(assembled.deps.watchOutputs, {
      clock: systemClock,
      maxStallMs: process.settings.backend.watchStallTimeout,
      onError: (error) => process.telling.logger.error('connections of watches could not be looked at', error),
    });
  },
  async stop() {
    await process.peek('api')?.deps.yaml.close();
  },
});

/** What kinds are made with. */
export function kindSettings({ settings, features }: ControlPlaneProcess): KindSettings {
  return { features, allowPrivileged: settings.serving.allowPrivileged, customKinds: true };
}

async function openAdmission(process: ControlPlaneProcess, observer: AdmissionObserver): Promise<void> {
  const { features, settings, telling } = process;
  const { role, serving } = settings;
  const { metrics, logger } = telling;
  const sharedRates = await openSharedRates(serving, logger);
  const webhooks = admissionWebhooks(serving, metrics);
  process.provide({ sharedRates, admissionWebhooks: webhooks });
  const isEnabled = (feature: FeatureName) => features.enabled(feature);
  const admission = await AdmissionControl.open({
    ...{ names: namesOf(serving.naming), isEnabled, observer, logger, options: serving },
    webhooks: (configuration) => webhooks.for(configuration),
    policies: webhooks.forPolicies(),
    surroundings: pluginSurroundings({
      ...{ metrics, sharedRates, onAsked: process.need('observation').reviewAsked('image-policy') },
      deps: () => process.need('api').deps,
      remote: () => process.peek('aggregated')?.documents ?? NO_REMOTE_DOCUMENTS,
    }),
  });
  process.provide({
    admission,
    followed: role.housekeeping ? followForStanding(admission) : undefined,
    policies: role.housekeeping ? followPolicies(admission, isEnabled) : undefined,
  });
}

async function assemble(process: ControlPlaneProcess, observer: AdmissionObserver): Promise<void> {
  const { settings, logger, health } = process;
  const { serving, backend } = settings;
  const [names, store, admission] = [namesOf(serving.naming), process.need('store'), process.need('admission')];
  const scheme = loadScheme(names);
  const assembled = await assembleApi({
    ...{ names, scheme, store },
    served: selected(process, scheme),
    storageVersions: serving.storageVersions,
    kinds: kindSettings(process),
    isOutdated: (type, key) => store.isOutdated(type, key),
    cache: process.need('changes').cache,
    plugins: admission.plugins,
    onAdmission: observer.step,
    limits: {
      maxBodyBytes: serving.maxRequestBytes,
      bodyTimeoutMs: serving.requestBodyTimeout,
      maxValues: serving.maxRequestValues,
      maxOwnedValues: serving.maxOwnedValues,
      minRequestTimeoutSeconds: serving.minRequestTimeout,
      maxWatchAgeMs: serving.maxWatchAge,
      requestTimeoutMs: serving.requestTimeout,
      watchBufferBytes: serving.watchBufferBytes,
    },
    yaml: new YamlReader(),
    countedElsewhere: !runsController(serving.controllers, 'resourcequota'),
    tokenIssuer: process.need('serviceAccountKeys').issuer,
    lists: {
      ...{ concurrent: backend.databaseLists, perUser: backend.databaseListsPerUser },
      windowBytes: { inAll: backend.listWindowBytes, perUser: backend.listWindowBytesPerUser },
      maxCachedBytes: backend.listLoadBytes,
    },
    components: Object.values(componentChecks(health)),
    listCacheBytes: backend.listCacheBytes,
    serviceCidr: serving.serviceClusterIpRange,
    nodePorts: nodePortRange(serving.serviceNodePortRange),
    catchUp: () => process.need('customResources').catchUp(),
    onError: (error) => logger.error('namespace deletion', error),
  });
  process.provide({ api: assembled });
}

function selected({ settings, features, logger }: ControlPlaneProcess, scheme: Scheme): readonly ResourceDefinition[] {
  const { resources, warnings } = servedSelection(scheme, settings.serving.runtimeConfig, features);
  for (const warning of warnings) logger.warn(`--runtime-config: ${warning}`);
  return resources;
}
