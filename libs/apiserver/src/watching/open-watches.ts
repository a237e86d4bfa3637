import { setImmediate as turn } from 'node:timers/promises';
import type { Authentication, UserInfo } from '@orch/authentication';
import { MASTERS, type RequestAttributes } from '@orch/authorization';
import type { StatusError } from '@orch/machinery';
import { type Bounds, SharedBound } from '../chain/shared-bound.js';

/** A watch that is open here, served or handed on, and what it was let in by. */
export interface OpenWatch {
  readonly authentication: Authentication;
  readonly user: UserInfo;
  readonly request: RequestAttributes;
}

/** An open watch, for whoever writes its stream. */
export class AdmittedWatch implements OpenWatch {
  readonly authentication: Authentication;
  readonly user: UserInfo;
  readonly request: RequestAttributes;
  #end: ((refusal: StatusError) => void) | undefined;
  #refusal: StatusError | undefined;

  constructor({ authentication, user, request }: OpenWatch) {
    this.authentication = authentication;
    this.user = user;
    this.request = request;
  }

  /** Says how the stream is ended; it is at once if that has been wanted before. Set once. */
  endBy(end: (refusal: StatusError) => void): void {
    this.#end = end;
    if (this.#refusal) end(this.#refusal);
  }

  /** Ends the stream in order, with an `ERROR` event. */
  refuse(refusal: StatusError): void {
    if (this.#refusal) return;
    this.#refusal = refusal;
    this.#end?.(refusal);
  }
}

/** Watches judged between two turns of the event loop. */
const STRIDE = 128;

/** The watches that are open in a process: bounded, and judged again when rights change. */
export class OpenWatches {
  readonly #open = new Set<AdmittedWatch>();
  readonly #held: SharedBound;

  constructor(bounds: Bounds) {
    this.#held = new SharedBound(bounds);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes a watch in; undefined beyond the bounds, which do not hold for administrators. */
  admit(watch: OpenWatch): AdmittedWatch | undefined {
    const { name, groups } = watch.user;
    if (!this.#held.fits(name, 1) && !groups.includes(MASTERS)) return undefined;
    this.#held.take(name, 1);
    const admitted = new AdmittedWatch(watch);
    this.#open.add(admitted);
    return admitted;
  }

  /** The stream is over, or never began. */
  release(watch: AdmittedWatch): void {
    if (this.#open.delete(watch)) this.#held.give(watch.user.name, 1);
  }

  /**
   * Ends the watches for which the judge has a refusal, each with that as its last event. Resolves with their number. Who
   * comes meanwhile is not among them: let the new rule be in force before.
   */
  async judgeAgain(
    judge: (watch: OpenWatch) => StatusError | undefined | Promise<StatusError | undefined>,
  ): Promise<number> {
    let [looked, ended] = [0, 0];
    for (const watch of [...this.#open]) {
      const refusal = await judge(watch);
      if (refusal && this.#open.has(watch)) {
        watch.refuse(refusal);
        ended++;
      }
      if (++looked % STRIDE === 0) await turn();
    }
    return ended;
  }
}
