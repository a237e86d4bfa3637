import type { Controller, ControllerSource } from '@orch/controllers';
import { isUncounted } from '@orch/quota';
import type { Key, ServingStore } from '@orch/storage';
import type { KnownQuota, QuotaIndex } from '@orch/writing';
import type { QuotaCount } from './quota-count.js';
import type { QuotaVerifier } from './quota-verifier.js';

/** Reason for a count: the quota is new, or servers of the release before have written beside it. */
export type CountReason = 'new' | 'uncharged';

/** Dependencies of the quota controller. */
interface QuotaControllerOptions {
  readonly store: Pick<ServingStore, 'uncharged' | 'forgetUncharged'>;
  readonly index: Pick<QuotaIndex, 'all' | 'in' | 'confirm' | 'onChange'>;
  readonly count: Pick<QuotaCount, 'find' | 'used' | 'write'>;
  /** Verifies counted quotas; absent for no verification. */
  readonly verifier?: Pick<QuotaVerifier, 'round'>;
  /** Called with each count that was written. */
  readonly onCounted: (reason: CountReason) => void;
}

/** Most counts of one quota in a reconciliation, if concurrent writes charge it. */
const ATTEMPTS = 16;
/** Milliseconds between two checks for writes of servers of the previous release, which do not charge quotas. */
const UNCHARGED_MS = 3_000;
const RETRY = { firstMs: 250, longestMs: 60_000 };
/** Keys of work that does not concern a particular quota; keys of quotas contain a slash. */
const [UNCHARGED, VERIFICATION] = ['uncharged', 'verification'];

/**
 * Returns a controller that counts the usage of quotas that were never counted. Later writes are charged as they are
 * made.
 */
export function quotaController(options: QuotaControllerOptions): Controller {
  const { index, verifier } = options;
  return {
    name: 'resourcequota',
    sources: [uncounted(index), { subscribe: () => () => undefined, keys: () => [UNCHARGED, VERIFICATION] }],
    retry: RETRY,
    async reconcile(key, { goesOn }) {
      if (!goesOn) return undefined;
      if (key === VERIFICATION) return verifier?.round();
      if (key === UNCHARGED) return countUncharged(options);
      await count(options, keyOf(key), 'new');
      return undefined;
    },
  };
}

const nameOf = ({ namespace, terms }: KnownQuota): string => `${namespace}/${terms.name}`;

function keyOf(name: string): Key {
  const at = name.indexOf('/');
  return { namespace: name.slice(0, at), name: name.slice(at + 1) };
}

/** Wakes the controller with quotas that were never counted. */
function uncounted(index: QuotaControllerOptions['index']): ControllerSource {
  const keys = () => [...index.all()].filter((quota) => quota.uncounted).map(nameOf);
  return {
    subscribe: (enqueue) => index.onChange(() => keys().forEach(enqueue)),
    keys,
    confirm: () => index.confirm(),
  };
}

/**
 * Counts the quotas of namespaces in which servers of the previous release have written without charging them. A
 * failure with one quota does not affect the others, but has all of them counted again.
 * @throws the first failure
 */
async function countUncharged(options: QuotaControllerOptions): Promise<number> {
  const { index, store } = options;
  const { upTo, namespaces } = await store.uncharged();
  const failures: unknown[] = [];
  for (const namespace of namespaces) {
    for (const { terms } of index.in(namespace)) {
      const key = { namespace, name: terms.name };
      await count(options, key, 'uncharged').catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) throw failures[0];
  if (namespaces.length > 0) await store.forgetUncharged(upTo);
  return UNCHARGED_MS;
}

async function count(
  { count: counts, onCounted }: QuotaControllerOptions,
  key: Key,
  reason: CountReason,
): Promise<void> {
  // The first count has writes charged to the quota from then on; the second finds what came before.
  let left = reason === 'uncharged' ? 2 : 1;
  for (let attempt = 1; attempt <= ATTEMPTS && left > 0; attempt++) {
    const found = await counts.find(key);
    if (!found || (reason === 'new' && !isUncounted(found.quota))) return;
    const used = await counts.used(key.namespace, found.quota);
    if (!(await counts.write(key, found.version, used))) continue;
    onCounted(reason);
    left--;
  }
}
