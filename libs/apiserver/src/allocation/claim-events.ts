import { randomBytes } from 'node:crypto';
import { type Allocators, rangeOf } from '@orch/kinds';
import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '../served/endpoint.js';
import { serverItself } from '../writing/caller.js';
import type { WritePipeline } from '../writing/write-pipeline.js';
import type { ClaimFinding } from './claim-finding.js';

export interface ClaimEventsOptions {
  readonly pipeline: Pick<WritePipeline, 'write'>;
  /** Of the core group. */
  readonly events: Endpoint;
  readonly allocators: Allocators;
  /** Who writes them: the host of the process. */
  readonly instance: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const REASONS = {
  clusterIPs: {
    unallocated: 'ClusterIPNotAllocated',
    duplicate: 'ClusterIPAlreadyAllocated',
    outside: 'ClusterIPOutOfRange',
  },
  nodePorts: { unallocated: 'PortNotAllocated', duplicate: 'PortAlreadyAllocated', outside: 'PortOutOfRange' },
} as const;
const REPORTERS = {
  clusterIPs: 'ipallocator-repair-controller',
  nodePorts: 'portallocator-repair-controller',
} as const;
const ACTIONS = { clusterIPs: 'ClusterIPAllocation', nodePorts: 'PortAllocation' } as const;

/** Tells the owners of Services by Events what is wrong with their addresses and ports. */
export class ClaimEvents {
  constructor(private readonly options: ClaimEventsOptions) {}

  /** @throws what a create of an Event throws: the namespace may be on its way out */
  async tell(finding: ClaimFinding): Promise<void> {
    const { pipeline, events: endpoint } = this.options;
    const { namespace, name } = finding.owner;
    const event = this.#event(finding, `${name}.${randomBytes(8).toString('hex')}`);
    const key = { namespace, name: event.metadata?.name ?? '' };
    const options = { dryRun: false };
    await pipeline.write(
      { operation: 'CREATE', endpoint, key, subresource: '', caller: serverItself(), options },
      { create: () => event },
    );
  }

  #event({ range, kind, value, owner: { namespace, name, uid } }: ClaimFinding, eventName: string): ApiObject {
    const { instance, now, allocators } = this.options;
    const limits = rangeOf(allocators, range, value);
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: eventName },
      involvedObject: { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
      type: 'Warning',
      reason: REASONS[range][kind],
      action: ACTIONS[range],
      message: `${named(range, value)} ${remedy(kind, range, limits?.text)}`,
      eventTime: new Date(now()).toISOString().replace('Z', '000Z'),
      reportingComponent: REPORTERS[range],
      reportingInstance: `${REPORTERS[range]}-${instance}`,
    };
  }
}

const named = (range: ClaimFinding['range'], value: string): string => {
  if (range === 'nodePorts') return `Port ${value}`;
  return `Cluster IP [${value.includes(':') ? 'IPv6' : 'IPv4'}]:${value}`;
};

function remedy(kind: ClaimFinding['kind'], range: ClaimFinding['range'], limits: string | undefined): string {
  if (kind === 'unallocated') return 'is not allocated; repairing';
  if (kind === 'duplicate') return 'was assigned to multiple services; please recreate service';
  if (limits === undefined) return 'is of ip family that is no longer configured on cluster; please recreate service';
  const where = range === 'nodePorts' ? 'port range' : 'service CIDR';
  return `is not within the ${where} ${limits}; please recreate service`;
}
