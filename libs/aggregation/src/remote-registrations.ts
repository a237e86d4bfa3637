import type { Names } from '@orch/machinery';
import type { Registration, ServicePlace } from './registration.js';

/** A registration that another server answers for. */
export type RemoteRegistration = Registration & { readonly service: ServicePlace };

const keyOf = (group: string, version: string): string => `${group}/${version}`;

/** The group-versions that other servers answer for; one state of them. */
export class RemoteRegistrations {
  readonly #byGroupVersion = new Map<string, RemoteRegistration>();

  /**
   * @param registrations all registrations; that of registrations themselves is always served here, whatever Service it
   * names
   */
  constructor(registrations: Iterable<Registration>, names: Names) {
    const own = names.group('apiregistration.orch.io');
    for (const each of registrations) {
      if (isRemote(each) && each.group !== own) this.#byGroupVersion.set(keyOf(each.group, each.version), each);
    }
  }

  /** Number of group-versions. */
  get size(): number {
    return this.#byGroupVersion.size;
  }

  /** Returns the registration of a group-version; undefined where this server answers for it. */
  of(group: string, version: string): RemoteRegistration | undefined {
    return this.#byGroupVersion.get(keyOf(group, version));
  }

  [Symbol.iterator](): IterableIterator<RemoteRegistration> {
    return this.#byGroupVersion.values();
  }
}

/** Whether another server answers for it. */
export const isRemote = (registration: Registration): registration is RemoteRegistration =>
  registration.service !== undefined;
