import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@orch/client';
import { type ApiObject, formatTime } from '@orch/machinery';
import type { EventSink } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { Node, NodeCondition, NodeStatus } from '@orch/schema/types/core/v1';
import { type NodeHealth, nodeConditions } from './node-conditions.js';
import { withGivenResources } from './node-object.js';
import { NODES } from './node-registration.js';

/** Dependencies of {@link NodeStatusReporter}. */
interface NodeStatusReporterSettings {
  /** Client of the API, for heartbeats alone. */
  readonly client: Pick<Client, 'get' | 'patch'>;
  /** Name of the node. */
  readonly name: string;
  /** Returns the node as it is followed, which is not read then; undefined while it is not known. */
  readonly known: () => Node | undefined;
  /** Returns the status of the node now, but for its conditions. */
  readonly status: () => Promise<NodeStatus>;
  /** Returns what the conditions follow from. */
  readonly health: () => Promise<NodeHealth>;
  /** Interval at which the status is computed, ms. */
  readonly updateMs: number;
  /** Interval at which it is sent though it has not changed, ms. */
  readonly reportMs: number;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of the intervals. */
  readonly clock: Clock;
  /** Logs reports that fail. */
  readonly logger: Logger;
}

/** Attempts at each interval. */
const ATTEMPTS = 5;

/** Reports the status of the node: when it has changed, and from time to time. */
export class NodeStatusReporter {
  #reportedAt: number | undefined;
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly settings: NodeStatusReporterSettings) {}

  /** Reports, and again at each interval. Resolves after the first report. */
  async start(): Promise<void> {
    this.#running = this.report();
    await this.#running;
    if (!this.#stopped) this.#cancel = this.settings.clock.after(this.settings.updateMs, () => void this.start());
  }

  /** Ends the reports. Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Reports once, unless nothing has changed. Never rejects. */
  async report(): Promise<void> {
    const { logger } = this.settings;
    for (let attempt = 1; attempt <= ATTEMPTS && !this.#stopped; attempt++) {
      try {
        await this.#attempt(attempt > 1);
        return;
      } catch (error) {
        logger.warn('the status of the node cannot be reported', { attempt, err: String(error) });
      }
    }
  }

  /** @param anew whether the node is read, as what is known of it may be wrong */
  async #attempt(anew: boolean): Promise<void> {
    const { client, name, known, status, health, reportMs, clock, events } = this.settings;
    const node = (anew ? undefined : known()) ?? (await client.get<Node & ApiObject>(NODES, name));
    const now = formatTime(clock.wall());
    const before = node.status ?? {};
    const conditions = nodeConditions(before.conditions ?? [], await health(), now, { name, events });
    const after: NodeStatus = { ...before, ...withGivenResources(await status(), before), conditions };
    const isDue = this.#reportedAt === undefined || clock.now() - this.#reportedAt >= reportMs;
    if (!isDue && !hasChanged(before, after)) return;
    const body = { status: statusPatch(before, after) };
    await client.patch<Node & ApiObject>(NODES, name, 'strategic', body, {}, { subresource: 'status' });
    this.#reportedAt = clock.now();
    const [bootBefore, boot] = [before.nodeInfo?.bootID, after.nodeInfo?.bootID];
    if (bootBefore && bootBefore !== boot)
      events.ofNode('Warning', 'Rebooted', `Node ${name} has been rebooted, boot id: ${boot}`);
  }
}

/** Whether a status differs by more than the times of its heartbeats. */
function hasChanged(before: NodeStatus, after: NodeStatus): boolean {
  const comparable = ({ conditions = [], ...rest }: NodeStatus) => ({
    ...rest,
    conditions: conditions.map(({ lastHeartbeatTime: _time, ...condition }: NodeCondition) => condition),
  });
  return !isDeepStrictEqual(comparable(before), comparable(after));
}

function statusPatch(before: NodeStatus, after: NodeStatus): Record<string, unknown> {
  // Those of others are as they were seen last, which may be long ago.
  const known = new Set(before.conditions);
  const patch: Record<string, unknown> = { conditions: after.conditions?.filter((condition) => !known.has(condition)) };
  for (const [name, value] of Object.entries(after))
    if (name !== 'conditions' && !isDeepStrictEqual(before[name as keyof NodeStatus], value)) patch[name] = value;
  for (const name of ['capacity', 'allocatable'] as const)
    if (patch[name]) patch[name] = { ...nullsOf(before[name]), ...after[name] };
  // Addresses are merged by their type, of which there may be several alike.
  if (patch.addresses) patch.addresses = [...(after.addresses ?? []), { $patch: 'replace' }];
  return patch;
}

/** Members that are not set anew are removed. */
const nullsOf = (amounts: Readonly<Record<string, string>> = {}): Record<string, null> =>
  Object.fromEntries(Object.keys(amounts).map((name) => [name, null]));
