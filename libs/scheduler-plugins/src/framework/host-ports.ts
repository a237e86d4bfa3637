import type { HostPort } from './pod-info.js';

const ANY = '0.0.0.0';

/** Ports of a node that are taken, with the address that each is taken at. */
export class HostPorts {
  /** Number of pods' ports by `protocol/port`, then by address. */
  readonly #taken = new Map<string, Map<string, number>>();

  /** Whether no port is taken. */
  get isEmpty(): boolean {
    return this.#taken.size === 0;
  }

  /** Whether a port is taken: one at all addresses collides with the same one at any. */
  collides({ ip, protocol, port }: HostPort): boolean {
    const addresses = this.#taken.get(`${protocol}/${port}`);
    if (!addresses) return false;
    return ip === ANY || addresses.has(ANY) || addresses.has(ip);
  }

  /** Takes a port. */
  add({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    const addresses = this.#taken.get(key) ?? new Map<string, number>();
    this.#taken.set(key, addresses.set(ip, (addresses.get(ip) ?? 0) + 1));
  }

  /** Gives a port back. */
  remove({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    const addresses = this.#taken.get(key);
    const count = (addresses?.get(ip) ?? 0) - 1;
    if (count > 0) addresses?.set(ip, count);
    else addresses?.delete(ip);
    if (addresses?.size === 0) this.#taken.delete(key);
  }
}
