import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { waitUntil } from '../../tools/up/index.js';
import { Kubectl } from '../clients/kubectl.js';
import { Api, type ApiObject, type ApiSettings } from '../support/api.js';
import type { ControlPlane } from './control-plane.js';
import type { Node } from './node.js';
import type { BuiltPrograms } from './programs.js';

const SETTLED_MS = 300_000;
const POLL_MS = 500;
/** Longer than a drain, or a Job of an upgrade. */
const RUN_MS = 600_000;

/** The outer cluster, as its operator reaches it. */
export class Cluster {
  readonly api: Api;
  readonly kubectl: Kubectl;
  readonly #kubeconfig: string;

  constructor(
    private readonly programs: BuiltPrograms,
    readonly plane: ControlPlane,
    readonly nodes: readonly Node[],
    readonly dir: string,
  ) {
    this.api = new Api(plane.access);
    this.#kubeconfig = plane.kubeconfig('admin');
    this.kubectl = new Kubectl(programs.kubectl, this.#kubeconfig);
  }

  /** Runs a program to its end, which may take minutes. Throws with what it says when it fails. */
  async run(program: 'helm' | 'kubectl', ...args: readonly string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: this.#kubeconfig, HOME: this.dir };
    const options = { env, timeout: RUN_MS, maxBuffer: 64 << 20 };
    return (await promisify(execFile)(this.programs[program], [...args], options)).stdout;
  }

  /** Creates or replaces objects. */
  async apply(...objects: readonly object[]): Promise<void> {
    await this.kubectl.ok(['apply', '--filename=-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    });
  }

  async list(path: string): Promise<readonly ApiObject[]> {
    const answer = await this.api.get(path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json<{ items: ApiObject[] }>().items;
  }

  pods = (namespace: string): Promise<readonly ApiObject[]> => this.list(`/api/v1/namespaces/${namespace}/pods`);

  /** Waits until every workload of a namespace has the pods that it is to have, of its present template, and none is on its way out. */
  async settle(namespace: string): Promise<void> {
    const started = performance.now();
    let last = '';
    while (performance.now() - started < SETTLED_MS) {
      last = await this.#unsettled(namespace);
      if (last === '') return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`not settled within ${SETTLED_MS} ms: ${last}\n${await this.#trouble(namespace)}`);
  }

  /** Tells what is not as it is to be, or nothing. */
  async #unsettled(namespace: string): Promise<string> {
    const kinds = ['deployments', 'statefulsets'].map((kind) =>
      this.list(`/apis/apps/v1/namespaces/${namespace}/${kind}`),
    );
    for (const { metadata, spec, status } of (await Promise.all(kinds)).flat()) {
      const counts = [status.replicas, status.updatedReplicas, status.readyReplicas].map((count) => count ?? 0);
      const isSeen = status.observedGeneration === metadata.generation;
      if (!isSeen || counts.some((count) => count !== spec.replicas))
        return `${metadata.name}: ${counts} of ${spec.replicas}`;
    }
    const leaving = (await this.pods(namespace)).find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    return leaving ? `${leaving.metadata.name} is on its way out` : '';
  }

  /** Describes pods and events, for an error message. */
  async #trouble(namespace: string): Promise<string> {
    const said = await Promise.all([
      this.kubectl.run(['-n', namespace, 'get', 'pods', '-o', 'wide']),
      this.kubectl.run(['-n', namespace, 'get', 'events', '--sort-by=.lastTimestamp']),
    ]);
    return said.map(({ stdout }) => stdout).join('\n');
  }

  /** Reads a Secret, decoded. */
  async secret(namespace: string, name: string): Promise<Record<string, string>> {
    const answer = await this.api.get(`/api/v1/namespaces/${namespace}/secrets/${name}`);
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`);
    const entries = Object.entries(answer.json().data ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  }

  /** Waits until somebody gets this answer. */
  async answers(what: string, settings: ApiSettings, path: string, expected: number): Promise<void> {
    await waitUntil(what, SETTLED_MS, async () => {
      const api = new Api(settings);
      try {
        return (await api.get(path)).status === expected;
      } catch {
        return expected === 0;
      } finally {
        api.close();
      }
    });
  }
}

/** A Secret of texts. */
export const secretOf = (name: string, stringData: Readonly<Record<string, string>>, namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});
