import type { Backend } from '../../../tools/up/index.js';
import { FaultProxy } from '../proxy/fault-proxy.js';

/** Says whether a server reaches a backend through a proxy that can inject faults. */
export type Through = (server: string, backend: Backend) => boolean;

/** The proxies between servers and backends of one cluster. */
export class Links {
  readonly #proxies = new Map<string, FaultProxy>();

  constructor(private readonly through: Through) {}

  readonly route = async (server: string, backend: Backend, port: number): Promise<number> => {
    if (!this.through(server, backend)) return port;
    const proxy = await FaultProxy.open(port);
    this.#proxies.set(`${server} ${backend}`, proxy);
    return proxy.port;
  };

  /** Throws when there is no proxy in between. */
  get(server: string, backend: Backend): FaultProxy {
    const proxy = this.#proxies.get(`${server} ${backend}`);
    if (proxy === undefined) throw new RangeError(`no proxy between ${server} and ${backend}`);
    return proxy;
  }

  all(): readonly FaultProxy[] {
    return [...this.#proxies.values()];
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((proxy) => proxy.close()));
  }
}
