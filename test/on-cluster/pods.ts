import { request } from 'node:https';
import { connect } from 'node:tls';
import { waitUntil } from '../../tools/up/index.js';
import type { ApiObject, ApiSettings } from '../support/api.js';
import type { Cluster } from './cluster.js';
import { NAMESPACE } from './release.js';

/** Components of the chart, with the port on which they listen. */
export const COMPONENTS = { 'api-server': 6443, 'watch-gateway': 6443, 'load-balancer': 8443 } as const;
export type Component = keyof typeof COMPONENTS;
export const SERVERS: readonly Component[] = ['api-server', 'watch-gateway'];
export const ALL: readonly Component[] = [...SERVERS, 'load-balancer'];

/** A kubelet brings what has changed within a minute and a half; servers take it some seconds later. */
const ARRIVED_MS = 240_000;
const PATH = '/api/v1/namespaces/default/configmaps';
const ANSWERED_MS = 10_000;
const MASTER_AND_WORKER = 2;

/** Credentials and headers of a request to a pod. */
export interface Asking extends Omit<ApiSettings, 'url'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The pods of the release, each asked by its own address. */
export class Pods {
  constructor(private readonly cluster: Cluster) {}

  async of(...components: readonly Component[]): Promise<readonly ApiObject[]> {
    const all = await this.cluster.pods(NAMESPACE);
    return all.filter(({ metadata }) => components.includes(componentOf(metadata.labels)));
  }

  /** Waits until every pod of some components gives whoever comes with these credentials this answer; 0 is none. */
  async answer(expected: number, settings: Asking, ...components: readonly Component[]): Promise<void> {
    let last: readonly number[] = [];
    const all = async () => {
      const pods = await this.of(...components);
      last = await Promise.all(pods.map(async (pod) => (await ask(pod, settings)).status));
      return last.every((status) => status === expected);
    };
    await waitUntil(`${components} answer ${expected}`, ARRIVED_MS, all).catch((cause) => {
      throw new Error(`last answers: ${last}`, { cause });
    });
  }

  /** The serial numbers of the certificates that pods of some components show. */
  async serials(...components: readonly Component[]): Promise<readonly string[]> {
    return Promise.all((await this.of(...components)).map(serialOf));
  }

  /** Waits until no pod of some components shows one of these certificates. */
  async showOthers(than: readonly string[], ...components: readonly Component[]): Promise<void> {
    await waitUntil('other certificates are shown', ARRIVED_MS, async () =>
      (await this.serials(...components)).every((serial) => !than.includes(serial)),
    );
  }

  /** A number of each pod's metrics, 0 where there is none. */
  async metrics(pattern: RegExp, asking: Asking, ...components: readonly Component[]): Promise<readonly number[]> {
    const answers = (await this.of(...components)).map((pod) => ask(pod, asking, '/metrics'));
    return (await Promise.all(answers)).map(({ text }) => Number(pattern.exec(text)?.[1] ?? 0));
  }

  /** Waits until no load balancer goes on with connections of before, which it does for half a minute when it has loaded anew. */
  async haveLoaded(): Promise<void> {
    const one = async (pod: ApiObject): Promise<boolean> => {
      const names = await this.#exec(pod, ['sh', '-c', 'cat /proc/[0-9]*/comm']);
      return names.split('haproxy').length - 1 === MASTER_AND_WORKER;
    };
    await this.#all('load balancers have one worker', one, 'load-balancer');
  }

  /** Waits until a file is in every pod of some components. */
  async have(text: string, path: string, ...components: readonly Component[]): Promise<void> {
    const has = async (pod: ApiObject): Promise<boolean> => (await this.#exec(pod, ['cat', path])) === text;
    await this.#all(`${path} has arrived`, has, ...components);
  }

  /** Waits until something is true of every pod; what cannot be asked, as a container does not run yet, is asked again. */
  async #all(
    what: string,
    of: (pod: ApiObject) => Promise<boolean>,
    ...components: readonly Component[]
  ): Promise<void> {
    let last: unknown;
    const once = async () => (await Promise.all((await this.of(...components)).map(of))).every(Boolean);
    const check = () =>
      once().catch((error) => {
        last = error;
        return false;
      });
    await waitUntil(what, ARRIVED_MS, check).catch((cause) => {
      throw new Error(`the last failure: ${last}`, { cause });
    });
  }

  #exec({ metadata, spec }: ApiObject, command: readonly string[]): Promise<string> {
    const node = this.cluster.nodes.find(({ name }) => name === spec.nodeName);
    if (!node) throw new Error(`${metadata.name} is on no node`);
    const [{ name }] = spec.containers;
    return node.exec(metadata.uid, name, command);
  }
}

const componentOf = (labels: Readonly<Record<string, string>> | undefined) =>
  labels?.['app.kubernetes.io/component'] as Component;

const placeOf = ({ metadata, status }: ApiObject) => ({
  host: status.podIP as string,
  port: COMPONENTS[componentOf(metadata.labels)],
  // Every certificate names it.
  servername: 'localhost',
});

/** Requests a path of a pod; status 0 means that there was no answer. */
function ask(pod: ApiObject, asking: Asking, path = PATH): Promise<{ status: number; text: string }> {
  const { ca, token, certificate, headers: more } = asking;
  const headers = { host: 'localhost', ...more, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return new Promise((resolve) => {
    const options = { ...placeOf(pod), path, agent: false, timeout: ANSWERED_MS, headers, ...(ca && { ca }) };
    const shown = certificate && { cert: certificate.cert, key: certificate.key };
    const none = () => resolve({ status: 0, text: '' });
    const asked = request({ ...options, ...shown }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.once('error', none);
    });
    asked.once('timeout', () => asked.destroy(new Error('timeout')));
    asked.once('error', none);
    asked.end();
  });
}

function serialOf(pod: ApiObject): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...placeOf(pod), rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
