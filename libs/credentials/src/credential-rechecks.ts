import { isDeepStrictEqual } from 'node:util';
import type { Authentication, Recheck } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import type { Clock, Logger } from '@orch/runtime';
import type { OpenWatch, OpenWatches } from '@orch/serving';

interface CredentialRechecksOptions {
  readonly watches: OpenWatches;
  readonly clock: Clock;
  /** Logs checks that fail. */
  readonly logger: Logger;
}

/** Least time between two checks of one credential, ms, even where its verdict is not cached. */
const LEAST_MS = 1_000;
/** Wait until a check that failed is repeated, ms. */
const RETRY_MS = 10_000;
/** Time between two checks, ms: bounds the load that many watches put on a verifier. */
const SPACING_MS = 20;
/** Least time between two log entries about failures, ms. */
const SAY_EVERY_MS = 60_000;
/** Checks that are in progress at a time. */
const MOST_ASKED = 100;

/** A credential with which watches are open, and the user that it was verified as. */
interface Watched {
  readonly recheck: Recheck;
  readonly user: Authentication['user'];
}

/**
 * Verifies again the credentials of open watches that only an outside party can verify, each when its verdict expires,
 * and ends the watches of those that are not valid any more, or belong to another user by now. Watches whose credential
 * cannot be checked go on.
 */
export class CredentialRechecks {
  /** Credentials by {@link Recheck.key}: each is checked once, however many watches are open with it. */
  readonly #watched = new Map<string, Watched>();
  /** Credentials that are due, in the order in which they became so. */
  readonly #due: Watched[] = [];
  #asked = 0;
  #pausing = false;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: CredentialRechecksOptions) {
    options.watches.onAdmitted((watch) => this.#admitted(watch));
  }

  #admitted({ authentication: { recheck, user } }: OpenWatch): void {
    if (recheck && !this.#watched.has(recheck.key)) this.#put({ recheck, user });
  }

  #put(watched: Watched, leastMs = LEAST_MS): void {
    const { key, dueAt } = watched.recheck;
    const { clock } = this.options;
    this.#watched.set(key, watched);
    clock.after(Math.max(dueAt - clock.wall(), leastMs), () => {
      this.#due.push(watched);
      this.#next();
    });
  }

  #next(): void {
    while (!this.#pausing && this.#asked < MOST_ASKED) {
      const watched = this.#due.shift();
      if (!watched) return;
      if (this.#forgotten(watched)) continue;
      this.#pausing = true;
      this.options.clock.after(SPACING_MS, () => {
        this.#pausing = false;
        this.#next();
      });
      this.#asked++;
      void this.#ask(watched).finally(() => {
        this.#asked--;
        this.#next();
      });
    }
  }

  /** Forgets a credential with which no watch is open any more. */
  #forgotten({ recheck: { key } }: Watched): boolean {
    if (this.options.watches.hasAnyBy(key)) return false;
    this.#watched.delete(key);
    return true;
  }

  async #ask(watched: Watched): Promise<void> {
    const { watches } = this.options;
    const { recheck, user } = watched;
    try {
      const found = await recheck.again();
      if (found?.recheck && isDeepStrictEqual(found.user, user)) return this.#put({ recheck: found.recheck, user });
      this.#watched.delete(recheck.key);
      const judge = ({ authentication }: OpenWatch) =>
        authentication.recheck?.key === recheck.key ? unauthorized() : undefined;
      await watches.judgeAgain(judge, { credentials: [recheck.key] });
    } catch (error) {
      this.#say(error);
      this.#put(watched, RETRY_MS);
    }
  }

  #say(error: unknown): void {
    const { clock, logger } = this.options;
    if (clock.now() - this.#saidAt < SAY_EVERY_MS) return;
    this.#saidAt = clock.now();
    logger.error('credentials of open watches could not be checked again', error);
  }
}

const unauthorized = () => new StatusError('Unauthorized', 'Unauthorized');
