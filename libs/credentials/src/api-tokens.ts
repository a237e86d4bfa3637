import {
  audienceAgnostic,
  BOOTSTRAP_SECRETS,
  BootstrapTokens,
  type BoundObject,
  type BoundObjectGetter,
  bootstrapTypeOf,
  keyOfObject,
  type ObjectName,
  ServiceAccountTokens,
  type TokenUse,
  type TokenVerifier,
  validityOf,
} from '@orch/authentication';
import { type Names, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { LONGEST_TIMER_MS, type Logger } from '@orch/runtime';
import type { OpenWatch, OpenWatches } from '@orch/serving';
import { BoundObjectCache, type BoundObjectCacheOptions } from './bound-object-cache.js';
import type { CredentialOptions } from './credential-options.js';
import type { ServiceAccountKeys } from './service-account-keys.js';

interface ApiTokensSettings extends Pick<BoundObjectCacheOptions, 'store' | 'feed' | 'reader'> {
  readonly options: CredentialOptions;
  readonly names: Names;
  readonly keys: ServiceAccountKeys;
  /** Returns the stored endpoint of a resource, served or not; undefined for unknown resources. */
  readonly endpointOf: (resource: string) => Endpoint | undefined;
  readonly onUse?: (use: TokenUse) => void;
  readonly logger: Logger;
}

const RESOURCES: Readonly<Record<ObjectName['kind'], string>> = {
  ServiceAccount: 'serviceaccounts',
  Pod: 'pods',
  Secret: 'secrets',
};

/** How long a judgement is put off that could not be made, ms. */
const RETRY_MS = 1000;

/** Verifies the tokens that this API issues: those of service accounts, and bootstrap tokens of nodes that join. */
export class ApiTokens {
  /**
   * Verifiers of service account tokens and bootstrap tokens, in the order of use; empty where both are switched off.
   */
  readonly verifiers: readonly TokenVerifier[];
  readonly #objects: BoundObjectCache;
  readonly #logger: Logger;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #watches: OpenWatches | undefined;

  constructor({ options, names, keys, endpointOf, onUse, logger, ...reading }: ApiTokensSettings) {
    this.#logger = logger;
    const endpoints = Object.entries(RESOURCES).flatMap(([kind, resource]) => {
      const endpoint = endpointOf(resource);
      return endpoint ? [[kind, endpoint] as const] : [];
    });
    this.#objects = new BoundObjectCache({
      ...reading,
      endpoints: Object.fromEntries(endpoints),
      tokenTypes: new Set([names.key('orch.io/service-account-token'), bootstrapTypeOf(names)]),
      ...(options.enableBootstrapTokenAuth && { listedSecrets: BOOTSTRAP_SECRETS }),
      onChange: (changed) => this.#changed(changed),
    });
    const { verification, issuers, audiences } = keys;
    const lookup = options.serviceAccountLookup;
    const objects: BoundObjectGetter = this.#objects;
    const ofAccounts = { names, keys: verification, issuers, audiences, lookup, objects, ...(onUse && { onUse }) };
    this.verifiers = [
      ...(verification.length > 0 ? [new ServiceAccountTokens(ofAccounts)] : []),
      ...(options.enableBootstrapTokenAuth ? [audienceAgnostic(new BootstrapTokens(names, objects), audiences)] : []),
    ];
  }

  /** Ends open watches when the objects that their tokens are bound to are deleted. */
  judge(watches: OpenWatches): void {
    this.#watches = watches;
  }

  /** Stops following objects and cancels pending rechecks of watches. */
  stop(): void {
    this.#objects.stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #changed(keys: ReadonlySet<string> | 'all'): void {
    this.#watches
      ?.reevaluate((watch) => this.#checkWatch(watch), keys === 'all' ? undefined : { objects: keys })
      .catch((error: unknown) => this.#logger.error('watches of tokens could not be authenticated again', error));
  }

  async #checkWatch({ authentication }: OpenWatch): Promise<StatusError | undefined> {
    const { boundTo = [] } = authentication;
    if (boundTo.length === 0) return undefined;
    try {
      const { refusal, endsAt } = await validityOf(boundTo, this.#objects, Date.now);
      if (refusal !== undefined) return unauthorized(refusal);
      // A moment later, when it has ended for sure.
      if (endsAt !== undefined) this.#recheckIn(endsAt + 1 - Date.now(), boundTo);
    } catch {
      // While the store is unavailable no object can be deleted either.
      this.#recheckIn(RETRY_MS, boundTo);
    }
    return undefined;
  }

  /** Sets one timer for a set of objects, however many watches are open with tokens bound to them. */
  #recheckIn(ms: number, bindings: readonly BoundObject[]): void {
    const keys = bindings.map(({ object }) => keyOfObject(object));
    const timer = keys.join();
    clearTimeout(this.#timers.get(timer));
    const judge = () => {
      this.#timers.delete(timer);
      // Each key finds the watches; the last one, a pod rather than its account, is shared by the fewest.
      this.#changed(new Set(keys.slice(-1)));
    };
    this.#timers.set(timer, setTimeout(judge, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS)).unref());
  }
}

function unauthorized(reason: string): StatusError {
  const error = new StatusError('Unauthorized', 'Unauthorized');
  error.cause = new Error(reason);
  return error;
}
