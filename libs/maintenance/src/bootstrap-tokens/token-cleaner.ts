import { type Controller, informerSource } from '@orch/controllers';
import type { Endpoint } from '@orch/resources';
import type { SharedInformer } from '@orch/runtime/informers';
import { type ControllerClient, ignoreMissing } from '@orch/writing';
import { requeueOvertaken, untilDue } from '../reconciliation.js';
import type { BootstrapToken } from './bootstrap-token.js';

/** Dependencies of the controller that deletes expired bootstrap tokens. */
interface TokenCleanerOptions {
  /** Bootstrap tokens, by the keys of their Secrets. */
  readonly tokens: SharedInformer<BootstrapToken | undefined>;
  /** Endpoint of Secrets, in the storage version. */
  readonly endpoint: Endpoint;
  /** Namespace of the Secrets. */
  readonly namespace: string;
  readonly client: Pick<ControllerClient, 'delete'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Returns the controller that deletes the Secrets of bootstrap tokens once these have expired. */
export function tokenCleaner({ tokens, endpoint, namespace, client, now }: TokenCleanerOptions): Controller {
  return {
    name: 'tokencleaner',
    sources: [informerSource(tokens)],
    async reconcile(key) {
      const token = tokens.get(key);
      if (!token) return undefined;
      if (token.expiresAt > now()) return untilDue(token.expiresAt, now());
      const options = { dryRun: false, uid: token.uid };
      await client
        .delete(endpoint, { namespace, name: token.name }, options)
        .catch(ignoreMissing)
        .catch(requeueOvertaken);
      return undefined;
    },
  };
}
