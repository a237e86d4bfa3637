import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const READERS = 12;
const OBJECT_BYTES = 500_000;
const BEHIND = /^orch_watch_cache_behind\{resource="configmaps"\} (\d+)$/m;
const BEHIND_MS = 30_000;
/** Looks, one after another, that find them behind with nothing more written. */
const LASTING = 10;

/** Watchers of a gateway that read nothing of large objects, more than a connection holds. */
export class SlowReaders {
  #round = 0;

  private constructor(
    private readonly api: Api,
    private readonly gateway: Api,
    private readonly sockets: readonly ClientRequest[],
  ) {}

  /** Resolves when all watches have begun. @param api writes the objects */
  static async open(api: Api, cluster: Cluster, gatewayUrl = ''): Promise<SlowReaders> {
    await api.post(PATH, { metadata: { name: 'large' } });
    const { token, ca } = cluster;
    const { hostname, port } = new URL(gatewayUrl);
    const headers = { authorization: `Bearer ${token}` };
    const sockets = Array.from({ length: READERS }, () =>
      request({ hostname, port, headers, ca, path: `${PATH}?watch=1`, agent: false }).on('error', () => undefined),
    );
    await Promise.all(
      sockets.map(async (sent) => {
        const [answered] = (await once(sent.end(), 'response')) as [IncomingMessage];
        answered.on('error', () => undefined).pause();
      }),
    );
    return new SlowReaders(api, new Api({ ...cluster, url: gatewayUrl }), sockets);
  }

  /** Resolves when all of them are behind: not by so many changes that the ring passes them, which would end their watches. */
  fallBehind(): Promise<void> {
    // On a busy machine they may be so for a moment, while the buffers of the kernel have room.
    let looks = 0;
    return waitUntil('readers are behind', BEHIND_MS, async () => {
      if (looks === 0) await this.write();
      const [, behind] = BEHIND.exec((await this.gateway.get('/metrics')).text) ?? [];
      looks = Number(behind) >= READERS ? looks + 1 : 0;
      return looks >= LASTING;
    });
  }

  /** Another large change for all of them. */
  async write(): Promise<void> {
    const text = `${this.#round++}`.padEnd(OBJECT_BYTES, 'x');
    await this.api.put(`${PATH}/large`, { metadata: { name: 'large' }, data: { text } });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.gateway.close();
  }
}
