import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../tools/up/index.js';
import { Api } from '../support/api.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const ROUND_MS = 50;

const configMap = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
});

/** Target of the load. */
type Asked = Pick<Cluster, 'url' | 'apiServerUrls' | 'ca' | 'token'>;

/** Every kind of request again and again, whatever becomes of them, and watches through both ways, until it is stopped. */
export class Load {
  readonly #api: Api;
  readonly #direct: Api;
  readonly #cluster: Asked;
  readonly #dir: string;
  #running = true;
  readonly #ended: Promise<unknown>;

  /** @param dir has the certificate of the administrator in `pki` */
  constructor(cluster: Asked, dir: string) {
    this.#cluster = cluster;
    this.#dir = dir;
    this.#api = new Api(cluster);
    this.#direct = new Api({ url: cluster.apiServerUrls[0] ?? '', ca: cluster.ca, token: cluster.token });
    const writers = [0, 1, 2].map((number) => this.again(() => this.#round(number)));
    const watches = [this.#api, this.#direct].map((api) => this.again(() => this.#watch(api)));
    this.#ended = Promise.all([...writers, ...watches]);
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#api.close();
    this.#direct.close();
    await this.#ended;
  }

  /** Repeats something until the load is stopped, or a signal ends it. */
  async again(work: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
    while (this.#running && !signal?.aborted) {
      await work().catch(() => undefined);
      await pause(ROUND_MS);
    }
  }

  async #round(number: number): Promise<void> {
    const name = `load-${number}`;
    const made = await this.#api.post(PATH, configMap(name, 'a'));
    await this.#api.get(`${PATH}/${name}`);
    await this.#api.put(`${PATH}/${name}`, configMap(name, 'b'));
    await this.#api.patch(`${PATH}/${name}`, 'merge', { data: { text: 'c' } });
    await this.#api.get(PATH);
    await this.#api.get('/api/v1/configmaps');
    const version = made.status === 201 ? made.json().metadata.resourceVersion : '0';
    await this.#api.get(`${PATH}?limit=1&resourceVersionMatch=Exact&resourceVersion=${version}`);
    await this.#withCertificate(`${PATH}/${name}`);
    await this.#api.delete(`${PATH}/${name}`);
  }

  /** A watch of a second, as an informer's that is cut often. */
  async #watch(api: Api): Promise<void> {
    await (await api.watch(`${PATH}?watch=1&timeoutSeconds=1`)).rest();
  }

  /** Requests as the administrator, with a client certificate. */
  #withCertificate(path: string): Promise<void> {
    const file = (name: string) => readFileSync(join(this.#dir, 'pki', name));
    const { hostname, port } = new URL(this.#cluster.apiServerUrls[0] ?? '');
    const { ca } = this.#cluster;
    const identity = { ca, cert: file('admin.crt'), key: file('admin.key') };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path, ...identity, agent: false }, (answer) => {
        answer.resume().once('close', resolve);
      });
      sent.once('error', reject).end();
    });
  }
}
