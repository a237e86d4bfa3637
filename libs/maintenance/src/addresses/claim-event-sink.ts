import { randomBytes } from 'node:crypto';
import { type Allocators, rangeOf } from '@orch/kinds';
import type { ApiObject } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type OwnRun, serverIn, type WritePipeline } from '@orch/writing';
import type { ClaimFinding } from './claim-finding.js';

interface ClaimEventSinkOptions {
  readonly pipeline: Pick<WritePipeline, 'write'>;
  /** Endpoint of Events of the core group. */
  readonly events: Endpoint;
  readonly allocators: Allocators;
  /** Reporting instance: the host of the process. */
  readonly instance: string;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

const REPAIRING = 'is not allocated; repairing';
const RECREATE = 'please recreate service';
const SHARED = `was assigned to multiple services; ${RECREATE}`;
const REPORTERS = {
  clusterIPs: 'ipallocator-repair-controller',
  nodePorts: 'portallocator-repair-controller',
} as const;

/** Writes Events about problems with the addresses and ports of Services. */
export class ClaimEventSink {
  constructor(private readonly options: ClaimEventSinkOptions) {}

  /**
   * Creates the Event of a finding, for as long as the run goes on in which it was found.
   * @throws the error of creating an Event: the namespace may be terminating
   */
  async create(finding: ClaimFinding, run: OwnRun): Promise<void> {
    const { pipeline, events: endpoint } = this.options;
    const { namespace, name } = finding.owner;
    const event = this.#event(finding, `${name}.${randomBytes(8).toString('hex')}`);
    const key = { namespace, name: event.metadata?.name ?? '' };
    const options = { dryRun: false };
    await pipeline.write(
      { operation: 'CREATE', endpoint, key, subresource: '', caller: serverIn(run), options },
      { create: () => event },
    );
  }

  #event({ range, kind, value, owner: { namespace, name, uid } }: ClaimFinding, eventName: string): ApiObject {
    const { instance, now, allocators } = this.options;
    const wrong = (range === 'nodePorts' ? aboutPort : aboutAddress)(
      kind,
      value,
      rangeOf(allocators, range, value)?.text,
    );
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: eventName },
      involvedObject: { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
      type: 'Warning',
      ...wrong,
      eventTime: new Date(now()).toISOString().replace('Z', '000Z'),
      reportingComponent: REPORTERS[range],
      reportingInstance: `${REPORTERS[range]}-${instance}`,
    };
  }
}

/** Content of an Event about one value. */
interface Telling {
  readonly reason: string;
  readonly action: string;
  readonly message: string;
}

/** Returns the content of an Event about a port. @param ports the configured range */
function aboutPort(kind: ClaimFinding['kind'], port: string, ports: string | undefined): Telling {
  const telling = (reason: string, text: string) => ({
    reason,
    action: 'PortAllocation',
    message: `Port ${port} ${text}`,
  });
  if (kind === 'unallocated') return telling('PortNotAllocated', REPAIRING);
  if (kind === 'duplicate') return telling('PortAlreadyAllocated', SHARED);
  return telling('PortOutOfRange', `is not within the port range ${ports}; ${RECREATE}`);
}

/** Returns the content of an Event about an address. @param network that of its family, if there is one */
function aboutAddress(kind: ClaimFinding['kind'], address: string, network: string | undefined): Telling {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  const telling = (reason: string, text: string) => ({
    reason,
    action: 'ClusterIPAllocation',
    message: `Cluster IP [${family}]:${address} ${text}`,
  });
  if (kind === 'unallocated') return telling('ClusterIPNotAllocated', REPAIRING);
  if (kind === 'duplicate') return telling('ClusterIPAlreadyAllocated', SHARED);
  if (network) return telling('ClusterIPOutOfRange', `is not within the service CIDR ${network}; ${RECREATE}`);
  return {
    reason: 'ClusterIPNotValid',
    action: 'ClusterIPValidation',
    message: `Cluster IP ${address}(${family}) is of ip family that is no longer configured on cluster; ${RECREATE}`,
  };
}
