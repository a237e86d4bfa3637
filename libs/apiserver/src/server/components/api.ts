import { type KindSettings, nodePortRange } from '@orch/kinds';
import { namesOf } from '@orch/machinery';
import { runsController } from '@orch/maintenance';
import { observeDatabaseLists } from '@orch/reading';
import { observeListCache, YamlReader } from '@orch/resources';
import { systemClock } from '@orch/runtime';
import { loadScheme, type ResourceDefinition, type Scheme } from '@orch/schema';
import { observeWatchOutputs, SlowReaders } from '@orch/serving';
import { type Api, assembleApi } from '../assemble.js';
import { servedSelection } from '../served-selection.js';
import { feedCheck } from './feed.js';
import { declare, type Host, tellingOf } from './process.js';
import { storeCheck } from './store.js';

const NEEDS = ['observation', 'store', 'changes', 'admission', 'admissionObserver', 'serviceAccountKeys'] as const;

/** Kinds, and the pipeline of all writes with its admission plugins. */
export const api = declare({ name: 'api', needs: NEEDS, makes: ['api'] }, (process) => ({
  async start() {
    const observation = process.need('observation');
    const { metrics } = observation;
    const assembled = await assemble(process);
    process.provide({ api: assembled });
    observation.followKinds(assembled.served);
    observeListCache(metrics, assembled.listCache);
    observeDatabaseLists(metrics, assembled.databaseLists);
    observeWatchOutputs(metrics, assembled.deps.watchOutputs);
    new SlowReaders(assembled.deps.watchOutputs, {
      clock: systemClock,
      maxStallMs: process.settings.backend.watchStallTimeout,
      onError: (error) => tellingOf(process).logger.error('connections of watches could not be inspected', error),
    });
  },
  async stop() {
    await process.peek('api')?.deps.yaml.close();
  },
}));

/** Returns the settings that kinds are made with. */
export function kindSettings({ settings, features }: Host<never>): KindSettings {
  return { features, allowPrivileged: settings.serving.allowPrivileged, customKinds: true };
}

async function assemble(process: Host<(typeof NEEDS)[number]>): Promise<Api> {
  const { settings } = process;
  const { serving, backend } = settings;
  const [names, store, admission] = [namesOf(serving.naming), process.need('store'), process.need('admission')];
  const scheme = loadScheme(names);
  return assembleApi({
    ...{ names, scheme, store },
    served: selected(process, scheme),
    storageVersions: serving.storageVersions,
    kinds: kindSettings(process),
    isOutdated: (type, key) => store.isOutdated(type, key),
    cache: process.need('changes').cache,
    plugins: admission.plugins,
    onAdmission: process.need('admissionObserver').step,
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
    components: [storeCheck(() => store), feedCheck(() => process.need('changes'))],
    listCacheBytes: backend.listCacheBytes,
    serviceCidr: serving.serviceClusterIpRange,
    nodePorts: nodePortRange(serving.serviceNodePortRange),
  });
}

function selected({ settings, features, logger }: Host<never>, scheme: Scheme): readonly ResourceDefinition[] {
  const { resources, warnings } = servedSelection(scheme, settings.serving.runtimeConfig, features);
  for (const warning of warnings) logger.warn(`--runtime-config: ${warning}`);
  return resources;
}
