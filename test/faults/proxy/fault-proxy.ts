import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Lane, type LaneFaults } from './lane.js';

/** Seen from whoever connects to the proxy. */
export type Direction = 'toServer' | 'toClient';
export type Side = 'client' | 'server';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/**
 * A TCP proxy on loopback that treats connections badly on demand, each direction on its own. What is set concerns the
 * connections that there are and those that come.
 */
export class FaultProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** Sockets whose other side is gone without their knowing. */
  readonly #abandoned = new Set<Socket>();
  #faults: Readonly<Record<Direction, LaneFaults>> = { toServer: {}, toClient: {} };
  #refusing = false;
  #accepted = 0;

  private constructor(private target: number) {
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
  }

  /** Listens on a free port and hands on to another one of loopback. */
  static async open(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that there are now. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Connections that there ever were. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Replaces what happens to a direction. */
  set(direction: Direction, faults: LaneFaults): void {
    this.#faults = { ...this.#faults, [direction]: faults };
  }

  /** New connections go to another port of loopback. */
  retarget(target: number): void {
    this.target = target;
  }

  /** Nothing passes either way, and neither side is told: a cut cable. */
  partition(): void {
    this.set('toServer', { hold: true });
    this.set('toClient', { hold: true });
  }

  /** New connections are closed as soon as they are accepted. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing;
  }

  /** Everything is well again; connections that have lost bytes are reset when their next ones come. */
  heal(): void {
    this.#faults = { toServer: {}, toClient: {} };
    this.#refusing = false;
  }

  /** Resets all connections, on both sides. */
  reset(): void {
    for (const { client, server } of [...this.#pairs]) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Half-open connections: one side is reset, the other is never told. */
  vanish(side: Side): void {
    for (const pair of [...this.#pairs]) {
      const left = side === 'client' ? pair.server : pair.client;
      this.#abandoned.add(left);
      this.#pairs.delete(pair);
      left.pause();
      pair[side].resetAndDestroy();
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#abandoned) socket.destroy();
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    this.#accepted++;
    client.on('error', () => undefined);
    if (this.#refusing) return void client.resetAndDestroy();
    const server = connect({ host: '127.0.0.1', port: this.target, allowHalfOpen: true });
    server.on('error', () => undefined);
    client.setNoDelay(true);
    server.setNoDelay(true);
    const pair = { client, server };
    this.#pairs.add(pair);
    const reset = () => {
      if (!this.#pairs.has(pair)) return;
      client.resetAndDestroy();
      server.resetAndDestroy();
    };
    const lanes = [
      new Lane(client, server, () => this.#faults.toServer, reset).run(),
      new Lane(server, client, () => this.#faults.toClient, reset).run(),
    ];
    void Promise.all(lanes).then(() => {
      if (!this.#pairs.delete(pair)) return;
      client.destroy();
      server.destroy();
    });
  }
}
