import { isDeepStrictEqual } from 'node:util';
import type { Controller, ControllerSource } from '@orch/controllers';
import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { SharedInformer } from '@orch/runtime/informers';
import type { ConfigMap } from '@orch/schema/types/core/v1';
import { type ControllerClient, ignoreMissing, type UpdateFunction } from '@orch/writing';
import { requeueOvertaken, untilDue } from '../reconciliation.js';
import type { BootstrapToken } from './bootstrap-token.js';
import { detachedSignature } from './detached-signature.js';

/** Dependencies of the controller that signs `cluster-info`. */
interface BootstrapSignerOptions {
  /** Config maps of `kube-public`. */
  readonly configMaps: SharedInformer<ConfigMap>;
  /** Bootstrap tokens, by the keys of their Secrets. */
  readonly tokens: SharedInformer<BootstrapToken | undefined>;
  /** Returns whether all Secrets of tokens can be read at present. */
  readonly isComplete: () => boolean;
  /** Endpoint of config maps, in the storage version. */
  readonly endpoint: Endpoint;
  readonly client: Pick<ControllerClient, 'update'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' };
const KEY = `${CLUSTER_INFO.namespace}/${CLUSTER_INFO.name}`;
/** Member that is signed, and how those begin that hold signatures. */
const [SIGNED, SIGNATURE] = ['kubeconfig', 'jws-kubeconfig-'];

/**
 * Returns the controller that signs the kubeconfig in the ConfigMap `cluster-info` with each bootstrap token, so that a
 * node that has a token can verify what it reads before it trusts the server.
 */
export function bootstrapSigner(options: BootstrapSignerOptions): Controller {
  const { configMaps, tokens, isComplete, endpoint, client, now } = options;
  return {
    name: 'bootstrapsigner',
    sources: [clusterInfo(configMaps), anyOf(tokens)],
    async reconcile() {
      // A change of what can be read wakes the controller; until then signatures of tokens that are there might go.
      if (!isComplete()) return undefined;
      const found = configMaps.get(KEY);
      const holders = [...tokens.list()]
        .filter((token) => token !== undefined)
        .filter(({ expiresAt }) => expiresAt > now());
      if (found && !isDeepStrictEqual(signed(found, holders).data, found.data)) {
        const change: UpdateFunction = async (current) => signed(current as ConfigMap, holders) as ApiObject;
        const missing = ignoreMissing(endpoint, CLUSTER_INFO.name);
        await client.update({ endpoint, key: CLUSTER_INFO }, change).catch(missing).catch(requeueOvertaken);
      }
      return untilDue(Math.min(...holders.map(({ expiresAt }) => expiresAt)), now());
    },
  };
}

/** Wakes the controller when `cluster-info` changes. */
const clusterInfo = (configMaps: SharedInformer<unknown>): ControllerSource => ({
  subscribe: (enqueue) => configMaps.onChange((changed) => void (changed.has(KEY) && enqueue(KEY))),
  keys: () => [KEY],
  async confirm() {
    await configMaps.confirm();
  },
});

/** Wakes the controller when any token changes. */
const anyOf = (tokens: SharedInformer<unknown>): ControllerSource => ({
  subscribe: (enqueue) => tokens.onChange(() => enqueue(KEY)),
  keys: () => [],
  async confirm() {
    await tokens.confirm();
  },
});

/** Returns the ConfigMap with the signatures of these tokens and no others. Without a kubeconfig it stays as it is. */
function signed(configMap: ConfigMap, tokens: readonly BootstrapToken[]): ConfigMap {
  const { data = {} } = configMap;
  const text = data[SIGNED];
  if (text === undefined) return configMap;
  const others = Object.entries(data).filter(([name]) => !name.startsWith(SIGNATURE));
  const signatures = tokens.flatMap(({ signing }) =>
    signing ? [[SIGNATURE + signing.id, detachedSignature(text, signing.id, signing.secret)]] : [],
  );
  return { ...configMap, data: Object.fromEntries([...others, ...signatures]) };
}
