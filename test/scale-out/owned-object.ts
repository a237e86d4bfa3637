import { expect } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Api, type ApiObject, type ManagedFieldsEntry } from '../support/api.js';

const COLLECTION = '/apis/apps/v1/namespaces/default/deployments';
const NAME = 'owned';

/** Containers that are alike, and names that no server knows: what the stored form of owners writes in a way of its own. */
const applied = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: NAME, annotations: { 'example.com/note': 'é😀' } },
  spec: {
    selector: { matchLabels: { app: NAME } },
    template: {
      metadata: { labels: { app: NAME } },
      spec: {
        containers: ['a', 'b', 'c'].map((name) => ({
          name,
          image: 'example.com/image',
          env: [{ name: 'SETTING', value: 'x' }],
          ports: [{ containerPort: name.charCodeAt(0) }],
        })),
      },
    },
  },
};

/** An object whose fields have owners, which servers of several releases write in turn. */
export class OwnedObject {
  readonly #fields = new Map<string, object>();
  #writes = 0;

  private constructor(private readonly cluster: Cluster) {}

  /** Applies it through the load balancer. */
  static async apply(cluster: Cluster, api: Api): Promise<OwnedObject> {
    const object = new OwnedObject(cluster);
    const answer = await api.apply(`${COLLECTION}/${NAME}`, 'applier', applied);
    expect(answer.status, answer.text).toBe(201);
    object.#learn(answer.json());
    return object;
  }

  /**
   * Each api-server takes over an annotation for a manager of its own; then every server must show the same owners: those that
   * were there, with the same fields, and the new ones.
   */
  async expectKept(): Promise<void> {
    const apiServers = this.cluster.apiServerUrls.map((url) => this.#at(url));
    const gateways = this.cluster.gatewayUrls.map((url) => this.#at(url));
    try {
      for (const server of apiServers) {
        const manager = `writer-${this.#writes++}`;
        const annotations = { [`example.com/by-${manager}`]: '' };
        const path = `${COLLECTION}/${NAME}?fieldManager=${manager}`;
        const answer = await server.patch(path, 'merge', { metadata: { annotations } });
        expect(answer.status, answer.text).toBe(200);
        const written = answer.json();
        this.#learn(written);
        for (const other of apiServers) this.#expectSame(written, (await other.get(`${COLLECTION}/${NAME}`)).json());
        for (const gateway of gateways) this.#expectSame(written, await shown(gateway, written));
      }
    } finally {
      for (const server of [...apiServers, ...gateways]) server.close();
    }
  }

  #at(url: string): Api {
    return new Api({ url, ca: this.cluster.ca, token: this.cluster.token });
  }

  /** Notes the fields of who is new; those of the others must be as they were. Beyond ten, updaters are joined in one entry. */
  #learn({ metadata }: ApiObject): void {
    const entries = metadata.managedFields ?? [];
    for (const { manager, fieldsV1 } of entries) {
      if (manager === 'ancient-changes') continue;
      const known = this.#fields.get(manager);
      if (known) expect(fieldsV1, manager).toEqual(known);
      this.#fields.set(manager, fieldsV1);
    }
    const managers = entries.map(({ manager }) => manager);
    const last = this.#writes === 0 ? [] : [`writer-${this.#writes - 1}`];
    expect(managers).toEqual(expect.arrayContaining(['applier', ...last]));
  }

  #expectSame(written: ApiObject, read: ApiObject): void {
    const owners = ({ metadata }: ApiObject): readonly ManagedFieldsEntry[] | undefined => metadata.managedFields;
    expect(read.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
    expect(owners(read)).toEqual(owners(written));
  }
}

/** The object as a watch at a gateway shows it once it has caught up with a write. */
async function shown(gateway: Api, { metadata: { resourceVersion } }: ApiObject): Promise<ApiObject> {
  const stream = await gateway.watch(`${COLLECTION}?watch=1&fieldSelector=metadata.name%3D${NAME}&resourceVersion=0`);
  try {
    expect(stream.status).toBe(200);
    const events = await stream.until(({ object }) => object.metadata.resourceVersion === resourceVersion);
    return events.at(-1)?.object ?? expect.unreachable('the watch ended');
  } finally {
    stream.close();
  }
}
