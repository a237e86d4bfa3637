import { type Client, hasReason } from '@orch/client';
import { type ApiObject, formatMicroTime } from '@orch/machinery';
import type { Clock, Logger } from '@orch/runtime';
import type { Lease } from '@orch/schema/types/coordination/v1';

/** Dependencies of {@link NodeLease}. */
interface NodeLeaseSettings {
  /** Client of the API, for heartbeats alone. */
  readonly client: Pick<Client, 'get' | 'create' | 'update' | 'names'>;
  /** Name of the node, and of the lease. */
  readonly name: string;
  /** Returns the uid of the node, which owns the lease; undefined while it is not registered. */
  readonly nodeUid: () => string | undefined;
  /** Duration of the lease, seconds. It is renewed at a quarter of it. */
  readonly durationSeconds: number;
  /** Clock of the renewals. */
  readonly clock: Clock;
  /** Logs renewals that fail. */
  readonly logger: Logger;
}

/** Attempts at each renewal. */
const ATTEMPTS = 5;
const NAMESPACE = 'kube-node-lease';

/** The lease by which the node shows that it is alive. */
export class NodeLease {
  #known: (Lease & ApiObject) | undefined;
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly settings: NodeLeaseSettings) {}

  /** Renews the lease, and again at a quarter of its duration. Resolves after the first renewal. */
  async start(): Promise<void> {
    this.#running = this.#renew();
    await this.#running;
    const { clock, durationSeconds } = this.settings;
    if (!this.#stopped) this.#cancel = clock.after((durationSeconds * 1000) / 4, () => void this.start());
  }

  /** Ends the renewals. Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  async #renew(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS && !this.#stopped; attempt++) {
      try {
        await this.#attempt();
        return;
      } catch (error) {
        // Another version, or none: it is read anew.
        this.#known = undefined;
        this.settings.logger.warn('the lease of the node cannot be renewed', { attempt, err: String(error) });
      }
    }
  }

  async #attempt(): Promise<void> {
    const { client } = this.settings;
    const ref = this.#ref();
    this.#known ??= await this.#read();
    const lease = this.#lease(this.#known);
    this.#known = this.#known ? await client.update(ref, lease) : await client.create(ref, lease);
  }

  async #read(): Promise<(Lease & ApiObject) | undefined> {
    try {
      return await this.settings.client.get<Lease & ApiObject>(this.#ref(), this.settings.name);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #ref() {
    const group = this.settings.client.names.group('coordination.orch.io');
    return { group, version: 'v1', resource: 'leases', namespace: NAMESPACE };
  }

  #lease(known: Lease | undefined): Lease & ApiObject {
    const { name, nodeUid, durationSeconds, clock } = this.settings;
    const uid = nodeUid();
    const owner = { apiVersion: 'v1', kind: 'Node', name, ...(uid !== undefined && { uid }) };
    return {
      ...known,
      apiVersion: `${this.#ref().group}/v1`,
      kind: 'Lease',
      metadata: {
        ...known?.metadata,
        name,
        namespace: NAMESPACE,
        ...(uid !== undefined && !known?.metadata?.ownerReferences?.length && { ownerReferences: [{ ...owner, uid }] }),
      },
      spec: {
        ...known?.spec,
        holderIdentity: name,
        leaseDurationSeconds: durationSeconds,
        renewTime: formatMicroTime(clock.wall()),
      },
    } as Lease & ApiObject;
  }
}
