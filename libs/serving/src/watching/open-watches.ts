import { setImmediate as turn } from 'node:timers/promises';
import { type Authentication, keyOfObject, type UserInfo } from '@orch/authentication';
import { MASTERS, type RequestAttributes } from '@orch/authorization';
import type { StatusError } from '@orch/machinery';
import { toStatusError } from '@orch/resources';
import { type Bounds, SharedBound } from '@orch/runtime/work';

/** An open watch or other stream, served here or forwarded, with the credential and attributes that it was admitted with. */
export interface OpenWatch {
  /** Authentication of the credential that the watch was opened with. */
  readonly authentication: Authentication;
  /** User that the watch is served for: the impersonated one where the caller impersonates. */
  readonly user: UserInfo;
  /** Attributes that the watch was authorized with. */
  readonly request: RequestAttributes;
  /** Permissions that the caller needed for impersonation; absent without impersonation. */
  readonly impersonating?: readonly RequestAttributes[] | undefined;
}

/** An open watch, as the writer of its stream uses it. */
export class AdmittedWatch implements OpenWatch {
  /** Authentication of the credential that the watch was opened with. */
  readonly authentication: Authentication;
  /** User that the watch is served for: the impersonated one where the caller impersonates. */
  readonly user: UserInfo;
  /** Attributes that the watch was authorized with. */
  readonly request: RequestAttributes;
  readonly impersonating: readonly RequestAttributes[] | undefined;
  #end: ((refusal: StatusError) => void) | undefined;
  #refusal: StatusError | undefined;

  constructor({ authentication, user, request, impersonating }: OpenWatch) {
    this.authentication = authentication;
    this.user = user;
    this.request = request;
    this.impersonating = impersonating;
  }

  /** Sets the function that ends the stream; called at once if the watch has been refused before. Set once. */
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

/** Returns the refusal of a watch that is no longer permitted; undefined for others. */
export type WatchCheck = (watch: OpenWatch) => StatusError | undefined | Promise<StatusError | undefined>;

/** Users, groups and credentials whose watches a change affects. */
interface Concerned {
  /** Names of users. */
  readonly users?: Iterable<string>;
  readonly groups?: Iterable<string>;
  /** Objects that credentials are bound to, by {@link keyOfObject}. */
  readonly objects?: Iterable<string>;
  /** Credentials to check again, by {@link Recheck.key}. */
  readonly credentials?: Iterable<string>;
}

/** A watch that is being admitted, with the changes of permissions found meanwhile. */
export interface PendingWatch {
  readonly checks: WatchCheck[];
}

/** Number of watches that are checked between two turns of the event loop. */
const STRIDE = 128;

/**
 * Registry of the open watches of a process, and of its other streams: each of the two is bounded, and authorized again
 * when permissions change.
 */
export class OpenWatches {
  /** The open watches; {@link checkNext} puts those that it takes at the end. */
  readonly #open = new Set<AdmittedWatch>();
  /** Watches by user, group, and the objects that their credentials are bound to. */
  readonly #found = new Map<string, Set<AdmittedWatch>>();
  readonly #watches: SharedBound;
  readonly #streams: SharedBound;
  readonly #coming = new Set<PendingWatch>();
  #onAdmitted: (watch: OpenWatch) => void = () => undefined;

  /**
   * @param watches bounds on watches
   * @param streams bounds on other streams. Default: none
   */
  constructor(watches: Bounds, streams: Bounds = { inAll: 0, perUser: 0 }) {
    this.#watches = new SharedBound(watches);
    this.#streams = new SharedBound(streams);
  }

  /** Number of open watches. */
  get size(): number {
    return this.#open.size;
  }

  /** Sets the callback for each watch that is admitted. Set once. */
  onAdmitted(callback: (watch: OpenWatch) => void): void {
    this.#onAdmitted = callback;
  }

  /** Whether any watch is open by a credential, by {@link Recheck.key}. */
  hasAnyBy(credential: string): boolean {
    return this.#found.has(ofCredential(credential));
  }

  /**
   * Announces a watch that is being authorized, which may take time: what {@link reevaluate} finds until it is admitted
   * applies to it too. To be released with {@link forget}.
   */
  expect(): PendingWatch {
    const coming = { checks: [] };
    this.#coming.add(coming);
    return coming;
  }

  /** Removes an announced watch, which has been admitted or refused. */
  forget(coming: PendingWatch): void {
    this.#coming.delete(coming);
  }

  /**
   * Admits a watch; undefined beyond the bounds, which do not apply to administrators. A watch whose permissions have
   * been revoked meanwhile is ended as soon as that is found.
   */
  admit(watch: OpenWatch, coming?: PendingWatch): AdmittedWatch | undefined {
    const { name, groups } = watch.user;
    const held = this.#boundOf(watch);
    if (!held.fits(name, 1) && !groups.includes(MASTERS)) return undefined;
    held.take(name, 1);
    const admitted = new AdmittedWatch(watch);
    this.#open.add(admitted);
    for (const key of keysOf(admitted)) {
      const together = this.#found.get(key) ?? new Set();
      this.#found.set(key, together.add(admitted));
    }
    for (const judge of coming?.checks ?? []) void this.#judge(admitted, judge);
    this.#onAdmitted(admitted);
    return admitted;
  }

  /** Removes a watch whose stream has ended, or never began. */
  release(watch: AdmittedWatch): void {
    if (!this.#open.delete(watch)) return;
    this.#boundOf(watch).give(watch.user.name, 1);
    for (const key of keysOf(watch)) {
      const together = this.#found.get(key);
      together?.delete(watch);
      if (together?.size === 0) this.#found.delete(key);
    }
  }

  /**
   * Ends the watches that the judge refuses, each with that error as its last event, and resolves with the number of
   * those that were open. Watches that are being admitted are judged once they are; for those that begin later the new
   * rule must be in force before.
   * @param concerned judges only the watches that one of these concerns, at the cost of those alone. Default: all
   */
  async reevaluate(judge: WatchCheck, concerned?: Concerned): Promise<number> {
    for (const { checks } of this.#coming) checks.push(judge);
    const watches = [...(concerned ? this.#concerned(concerned) : this.#open)];
    const judged: Promise<boolean>[] = [];
    for (const [at, watch] of watches.entries()) {
      if (at > 0 && at % STRIDE === 0) await turn();
      // Concurrently: checking one may involve an external service that does not answer.
      judged.push(this.#judge(watch, judge));
    }
    return (await Promise.all(judged)).filter(Boolean).length;
  }

  /**
   * Judges the next `count` open watches, round robin in the order in which they were admitted. Resolves with the
   * number that were ended.
   */
  async checkNext(count: number, judge: WatchCheck): Promise<number> {
    // An iterator that lives on would keep what the set has held since.
    const watches: AdmittedWatch[] = [];
    for (const watch of this.#open) {
      if (watches.length >= count) break;
      watches.push(watch);
    }
    for (const watch of watches) {
      this.#open.delete(watch);
      this.#open.add(watch);
    }
    return (await Promise.all(watches.map((watch) => this.#judge(watch, judge)))).filter(Boolean).length;
  }

  #boundOf({ request }: OpenWatch): SharedBound {
    return request.verb === 'watch' ? this.#watches : this.#streams;
  }

  #concerned({ users = [], groups = [], objects = [], credentials = [] }: Concerned): Iterable<AdmittedWatch> {
    const found = new Set<AdmittedWatch>();
    const take = (key: string) => {
      for (const watch of this.#found.get(key) ?? []) found.add(watch);
    };
    for (const name of users) take(ofUser(name));
    for (const name of groups) take(ofGroup(name));
    for (const key of objects) take(ofObject(key));
    for (const key of credentials) take(ofCredential(key));
    return found;
  }

  /** @returns whether the watch was open and is ended now */
  async #judge(watch: AdmittedWatch, judge: WatchCheck): Promise<boolean> {
    const refusal = await asked(judge, watch);
    if (!refusal || !this.#open.has(watch)) return false;
    watch.refuse(refusal);
    return true;
  }
}

/** Keys that a watch is indexed by. */
function keysOf({ authentication, user, impersonating }: OpenWatch): string[] {
  const { boundTo = [], recheck, user: asking } = authentication;
  const users = impersonating ? [user, asking] : [user];
  const keys = users.flatMap(({ name, groups }) => [ofUser(name), ...groups.map(ofGroup)]);
  const credential = recheck ? [ofCredential(recheck.key)] : [];
  return [...new Set(keys), ...boundTo.map(({ object }) => ofObject(keyOfObject(object))), ...credential];
}

const ofUser = (name: string) => `user ${name}`;
const ofGroup = (name: string) => `group ${name}`;
const ofObject = (key: string) => `object ${key}`;
const ofCredential = (key: string) => `credential ${key}`;

/** Checks a watch. A watch that cannot be checked is ended: a client that reconnects is authorized from the start. */
async function asked(judge: WatchCheck, watch: OpenWatch): Promise<StatusError | undefined> {
  try {
    return await judge(watch);
  } catch (error) {
    return toStatusError(error);
  }
}
