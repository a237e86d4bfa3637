import { authenticated } from '@orch/authentication';
import type { StoreReflector } from '@orch/informers';
import { tooManyRequests } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { Reflector, ReflectorTarget } from '@orch/runtime/informers';
import type { AdmittedWatch, OpenWatches } from '@orch/serving';
import { attributesOf, type LocalIdentity, type LocalRequests } from '@orch/writing';

/** Dependencies of a {@link PermittedReflector}. */
export interface ReflectorAccess {
  /** The user that reads. */
  readonly identity: LocalIdentity;
  /** Asks for lists and watches. */
  readonly requests: LocalRequests;
  /** Register in which each is found when rights change. */
  readonly watches: OpenWatches;
}

/** A reflector while its user may read. */
interface Following<T> {
  readonly reflector: StoreReflector<T>;
  readonly ended: AbortController;
}

const OK = 200;
const RETRY_SECONDS = 1;

/**
 * Follows a resource in the store of this process as a user who may list and watch it: each list is asked for as over
 * HTTP, and the user loses the watch with the right to it.
 */
export class PermittedReflector<T> implements Reflector<T> {
  #following: Following<T> | undefined;

  /**
   * @param endpoint finds the resource. @throws StatusError 404 while it is not served
   * @param make makes what follows it
   */
  constructor(
    private readonly access: ReflectorAccess,
    private readonly endpoint: () => Endpoint,
    private readonly make: (endpoint: Endpoint) => StoreReflector<T>,
  ) {}

  async listAndWatch(target: ReflectorTarget<T>, signal: AbortSignal): Promise<void> {
    const endpoint = this.endpoint();
    const watch = await this.#open(endpoint);
    // What it knows of objects that cannot be opened outlasts a gap.
    this.#following ??= { reflector: this.make(endpoint), ended: new AbortController() };
    const { reflector, ended } = this.#following;
    const lose = (reason: unknown) => {
      this.#following = undefined;
      ended.abort(reason);
    };
    const stop = () => lose(signal.reason);
    signal.addEventListener('abort', stop);
    watch.endBy(lose);
    try {
      // It may have ended while the rights were asked for, which the listener is not told.
      signal.throwIfAborted();
      await reflector.listAndWatch(target, ended.signal);
      if (!signal.aborted) ended.signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
      this.access.watches.release(watch);
    }
  }

  async confirm(): Promise<unknown> {
    if (!this.#following) throw new Error('the resource is not followed');
    return this.#following.reflector.confirm();
  }

  /** @throws StatusError 403 without the rights, 429 beyond the bounds of watches */
  async #open(endpoint: Endpoint): Promise<AdmittedWatch> {
    const { identity, requests, watches } = this.access;
    const target = { endpoint, key: { namespace: '', name: '' } };
    const coming = watches.expect();
    try {
      for (const verb of ['list', 'watch']) await requests.make(verb, target, OK, async () => undefined);
      const { user } = identity;
      const request = attributesOf('watch', target);
      const watch = watches.admit({ authentication: authenticated(user, 'token'), user, request }, coming);
      if (!watch) throw tooManyRequests('too many watches are open', RETRY_SECONDS);
      return watch;
    } finally {
      watches.forget(coming);
    }
  }
}
