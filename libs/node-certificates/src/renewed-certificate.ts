import { generateKey, hostsOf } from '@orch/authentication';
import type { Names } from '@orch/machinery';
import { type Clock, type Logger, sleep } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import type { RenewalMetrics } from './metrics.js';
import { type CertificatePair, checkPair, type PairSource, validityOf } from './pair.js';
import type { PairStore } from './pair-store.js';
import { firstRenewalTime, renewalTime } from './renewal-time.js';
import { type RequestClient, requestCertificate } from './request-certificate.js';
import type { WantedCertificate } from './wanted.js';

/** Waits between attempts (`vendor/k8s.io/client-go/util/certificate`): 2 s, doubled up to 32 s. */
const RETRY = { firstMs: 2_000, longestMs: 32_000 };
/** Milliseconds between looks at the clock, which may be set, and at what is wanted. */
const LOOK_MS = 10_000;

/** Dependencies of a {@link RenewedCertificate}. */
interface RenewalSettings {
  /** Store of pairs and keys. */
  readonly store: PairStore;
  /** Returns the certificate that is wanted now; undefined while none can be requested. */
  readonly wanted: () => WantedCertificate | undefined;
  /** Calls the API with credentials that are valid now. */
  readonly client: () => RequestClient;
  /** Names of the installation. */
  readonly names: Names;
  /** Tells the time. */
  readonly clock: Clock;
  /** Gets to know what is requested, renewed, and fails. */
  readonly logger: Logger;
  /** Metrics of the certificate. */
  readonly metrics?: RenewalMetrics;
  /** Draws numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** A certificate that is requested from the API, and renewed before it expires or when other hosts are wanted. */
export class RenewedCertificate implements PairSource {
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(pair: CertificatePair) => void>();
  readonly #random: () => number;
  #pair: CertificatePair | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(private readonly settings: RenewalSettings) {
    this.#random = settings.random ?? Math.random;
  }

  pair(): CertificatePair | undefined {
    return this.#pair;
  }

  onChange(listener: (pair: CertificatePair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Goes on with the pair that is kept, if it can be used, and renews it from now on. Does not wait for a first one. */
  async start(): Promise<void> {
    const { store, logger } = this.settings;
    this.#pair = await store.current().catch((error: Error) => {
      logger.warn('the certificate that is kept cannot be used', { file: store.currentFile, err: error.message });
      return undefined;
    });
    if (this.#pair) this.#dueAt = renewalTime(validityOf(this.#pair), this.#random);
    this.#running = this.#run();
  }

  /**
   * Asks at once, with the key of the pair that is kept, whatever is left of that. Resolves with the new pair; undefined
   * when stopped.
   */
  async first(): Promise<CertificatePair | undefined> {
    const { store } = this.settings;
    await this.#attempts(async () => {
      const kept = await store.current().catch(() => undefined);
      return (await store.requestKey()) ?? (await store.keepRequestKey(kept?.key ?? (await generateKey())));
    });
    return this.#pair;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { store, clock } = this.settings;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      if (!this.#isDue()) await sleep(clock, LOOK_MS, signal);
      else
        await this.#attempts(
          async () => (await store.requestKey()) ?? (await store.keepRequestKey(await generateKey())),
        );
    }
  }

  #isDue(): boolean {
    const wanted = this.settings.wanted();
    if (!wanted) return false;
    if (!this.#pair || this.settings.clock.wall() >= this.#dueAt) return true;
    const certified = new Set(hostsOf(this.#pair.cert));
    return wanted.hosts.some((host) => !certified.has(host));
  }

  /** Tries until there is a pair, nothing can be asked for, or all is stopped. */
  async #attempts(keyOf: () => Promise<string>): Promise<void> {
    const { clock, logger, metrics, wanted } = this.settings;
    const { signal } = this.#abort;
    const backoff = new Backoff({ ...RETRY, random: this.#random });
    while (!signal.aborted) {
      const wantedNow = wanted();
      if (!wantedNow) return;
      try {
        if (await this.#ask(wantedNow, await keyOf())) return;
      } catch (error) {
        if (signal.aborted) return;
        metrics?.failed();
        logger.warn('a certificate cannot be had yet', { err: (error as Error).message });
        await sleep(clock, backoff.next(), signal);
      }
    }
  }

  /** Whether it could be had; not when another is wanted meanwhile. */
  async #ask(wantedNow: WantedCertificate, key: string): Promise<boolean> {
    const { client, names, clock, logger, metrics } = this.settings;
    const superseded = new AbortController();
    const signal = AbortSignal.any([superseded.signal, this.#abort.signal]);
    const forget = this.#whenSuperseded(wantedNow, () => superseded.abort());
    try {
      const onRefused = () => metrics?.failed();
      const shared = { names, clock, logger, onRefused, signal };
      const issued = await requestCertificate(key, wantedNow, { client: client(), ...shared });
      if (issued) await this.#take({ cert: issued.cert, key }, issued.isEarlier);
      return issued !== undefined;
    } catch (error) {
      if (superseded.signal.aborted) return false;
      throw error;
    } finally {
      forget();
    }
  }

  /** Calls back when another certificate is wanted. Returns a function that ends the looks. */
  #whenSuperseded(wantedNow: WantedCertificate, then: () => void): () => void {
    const { clock, wanted } = this.settings;
    const text = JSON.stringify(wantedNow);
    let cancel: () => void;
    const look = () => {
      if (JSON.stringify(wanted()) !== text) then();
      else cancel = clock.after(LOOK_MS, look);
    };
    cancel = clock.after(LOOK_MS, look);
    return () => cancel();
  }

  async #take(pair: CertificatePair, isEarlier: boolean): Promise<void> {
    const { store, clock, logger, metrics } = this.settings;
    const [now, before] = [clock.wall(), this.#pair];
    const unusable = unusableBecause(pair, isEarlier, now);
    if (unusable !== undefined) {
      await store.keepRequestKey(await generateKey());
      throw new Error(unusable);
    }
    await store.keep(pair, now);
    await store.dropRequestKey();
    const validity = validityOf(pair);
    const [from, until] = [validity.from, validity.to].map((time) => new Date(time).toISOString());
    if (validity.from > now || validity.to <= now)
      logger.warn('by the clock of this machine, the new certificate is not valid', { from, until });
    this.#pair = pair;
    this.#dueAt = firstRenewalTime(validity, now, this.#random);
    if (before) metrics?.rotated(now - validityOf(before).from);
    logger.info('a certificate has been issued', { file: store.currentFile, until });
    for (const listener of this.#listeners) listener(pair);
  }
}

/** Why what has been issued is not taken; undefined if it is. Of a request just made, no clock but the signer's counts. */
function unusableBecause(pair: CertificatePair, isEarlier: boolean, now: number): string | undefined {
  try {
    checkPair(pair);
  } catch (error) {
    return (error as Error).message;
  }
  return isEarlier && validityOf(pair).to <= now ? 'what was issued for an earlier request has expired' : undefined;
}
