import type { Clock } from '@orch/runtime/clock';
import { HistoryExpiredError, type PriorDetail, type Version } from '@orch/storage';
import { ExpiredError } from '../errors.js';
import type { HistoryReader } from '../history/history-reader.js';
import type { Ring } from '../history/ring.js';
import type { WatchRequest } from '../type-cache-options.js';
import type { Joining } from './fan-out-model.js';
import { priorDetail } from './interest.js';

interface WatchStartOptions {
  readonly clock: Clock;
  readonly history: HistoryReader;
  /** Milliseconds for which a start waits for a future version. */
  readonly versionWait: number;
  /** Whether a version is from a lost history. */
  readonly isLost: (version: Version) => boolean;
  /** The highest drawn version. @throws StoreUnavailableError */
  readonly lastVersion: () => Promise<Version>;
  /** The version of the state. @throws CacheNotReadyError */
  readonly current: () => Version;
  /** The current ring. @throws CacheNotReadyError */
  readonly ring: () => Ring;
  readonly confirm: () => Promise<Version>;
  readonly waitUntil: (version: Version, deadline: number) => Promise<void>;
}

/** Decides where a watch starts, and waits for what that needs. */
export class WatchStartDecider {
  constructor(private readonly options: WatchStartOptions) {}

  /** @throws ExpiredError, VersionNotReachedError, CacheNotReadyError, StoreUnavailableError */
  async decide(request: WatchRequest): Promise<Joining['from']> {
    const { from, initialEvents, deadline } = request;
    if ('after' in from && this.options.isLost(from.after)) throw this.#expired(from.after);
    if ('after' in from && initialEvents !== 'stream') return this.#after(from.after, priorDetail(request));
    let notOlderThan = 0n;
    if ('after' in from) {
      notOlderThan = from.after;
      const patience = this.options.clock.now() + this.options.versionWait;
      await this.options.waitUntil(notOlderThan, Math.min(patience, deadline ?? patience));
    } else if (from.at === 'now') {
      notOlderThan = await this.options.confirm();
    }
    return initialEvents === 'none' ? { at: 'now' } : { at: 'initial', notOlderThan };
  }

  #expired(version: Version): ExpiredError {
    return new ExpiredError(version, this.options.ring().floor);
  }

  /** A start below the ring is possible if the database still has the missing changes; their first page shows that. */
  async #after(version: Version, prior: PriorDetail): Promise<Joining['from']> {
    const { ring, current, lastVersion } = this.options;
    // A version that was never drawn may be from another history, lost when a backup was restored.
    if (version > current() && version > (await lastVersion())) throw this.#expired(version);
    if (version >= ring().floor) return { at: 'after', version };
    try {
      return { at: 'after', version, page: await this.options.history.page(version, prior) };
    } catch (error) {
      if (error instanceof HistoryExpiredError) throw new ExpiredError(version, error.floor);
      throw error;
    }
  }
}
