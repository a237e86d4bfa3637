import {
  type AllocationOwner,
  type Allocators,
  makeAddressAllocators,
  makeAllocator,
  portRange,
  serviceNetworks,
} from '@orch/kinds';
import { silentLogger } from '@orch/runtime';
import { StoreUnavailableError, type WriteOp } from '@orch/storage';
import { type TestApi, testApi } from '@orch/testing';
import { type AllocationClaims, openClaims, serverItself } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClaimCheck } from './claim-check.js';
import { ClaimEventSink } from './claim-event-sink.js';
import type { ClaimFinding } from './claim-finding.js';

const SAFE = 1000;
const RUN = { goesOn: true };
const CLEAN = { givenUp: 0, claimed: 0, duplicates: 0, outside: 0 };

let api: TestApi;
let claims: AllocationClaims;
let check: ClaimCheck;
let clock: number;
let warnings: string[];
let findings: ClaimFinding[];

beforeEach(async () => {
  api = await testApi();
  claims = await openClaims(api.store);
  clock = 0;
  warnings = [];
  findings = [];
  check = new ClaimCheck({
    store: api.store,
    services: api.endpoint('services'),
    claims,
    allocators: api.allocators,
    safeMs: SAFE,
    now: () => clock,
    logger: { ...silentLogger, warn: (message) => warnings.push(message) },
    onFinding: (finding) => findings.push(finding),
  });
});
afterEach(() => api.close());

const service = (name: string, spec: object = {}) =>
  api.create('services', { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }], ...spec } });

const held = async () => [[...(await claims.clusterIPs.all()).keys()], [...(await claims.nodePorts.all()).keys()]];
const count = async () => (await held()).map(({ length }) => length);

async function ownerOf(name: string): Promise<AllocationOwner> {
  const { uid = '' } = api.stored('services', name)?.metadata ?? {};
  return { namespace: 'default', name, uid };
}

async function free(address: string, owner: AllocationOwner): Promise<void> {
  const hold = await claims.clusterIPs.held(address, owner);
  await hold?.release();
}

/** Looks, and looks again when a claim without use may be given up. */
async function checkTwice() {
  expect(await check.run(RUN)).toEqual(CLEAN);
  clock += SAFE;
  return check.run(RUN);
}

/** The next such write is answered by a broken connection, committed or not. */
function lose(op: WriteOp['op'], resource: 'services' | number, committed: boolean): void {
  const type = resource === 'services' ? api.endpoint('services').type : resource;
  const broken = (write: WriteOp) => {
    if (write.op !== op || write.type !== type) return undefined;
    api.store.beforeWrite = undefined;
    api.store.afterWrite = undefined;
    throw new StoreUnavailableError('the connection broke', true);
  };
  if (committed) api.store.afterWrite = broken;
  else api.store.beforeWrite = broken;
}

describe('claims of which a write was not decided', () => {
  it('are given up once they have been without a Service for long enough, and can be had again', async () => {
    lose('create', 'services', false);
    await expect(service('lost', { clusterIP: '10.96.0.9' })).rejects.toThrow('broke');
    expect(await count()).toEqual([1, 1]);
    await expect(service('next', { clusterIP: '10.96.0.9' })).rejects.toMatchObject({ code: 422 });
    expect(await check.run(RUN)).toEqual(CLEAN);
    clock += SAFE - 1;
    expect(await check.run(RUN)).toEqual(CLEAN);
    clock += 1;
    expect(await check.run(RUN)).toEqual({ ...CLEAN, givenUp: 2 });
    expect(await count()).toEqual([0, 0]);
    await service('next', { clusterIP: '10.96.0.9' });
  });

  it('stay with a process that has lost the lease', async () => {
    lose('create', 'services', false);
    await expect(service('lost')).rejects.toThrow('broke');
    await check.run(RUN);
    clock += SAFE;
    expect(await check.run({ goesOn: false })).toEqual(CLEAN);
    expect(await count()).toEqual([1, 1]);
    expect(await check.run(RUN)).toEqual({ ...CLEAN, givenUp: 2 });
  });

  it('stay when it was committed after all', async () => {
    lose('create', 'services', true);
    await expect(service('there')).rejects.toThrow('broke');
    const before = await held();
    expect(await checkTwice()).toEqual(CLEAN);
    expect(await held()).toEqual(before);
    expect(before.flat()).toHaveLength(2);
  });

  it('go after a deletion that was committed, and stay after one that was not', async () => {
    const remove = async (name: string) =>
      api.deps.remover.remove(
        api.endpoint('services'),
        { namespace: 'default', name },
        { dryRun: false },
        serverItself(),
      );
    await service('gone');
    await service('kept');
    const kept = await ownerOf('kept');
    lose('delete', 'services', true);
    await expect(remove('gone')).rejects.toThrow('broke');
    lose('delete', 'services', false);
    await expect(remove('kept')).rejects.toThrow('broke');
    expect(await count()).toEqual([2, 2]);
    expect(await checkTwice()).toEqual({ ...CLEAN, givenUp: 2 });
    expect([...(await claims.clusterIPs.all()).values()].map(({ uid }) => uid)).toEqual([kept.uid]);
  });

  it('go when the undecided write was the claim itself', async () => {
    await service('first');
    const [type = 0] = await api.store.registerTypes([{ group: 'internal', resource: 'clusterips' }]);
    lose('create', type, true);
    await expect(service('second')).rejects.toThrow('broke');
    expect(await count()).toEqual([2, 1]);
    expect(await checkTwice()).toEqual({ ...CLEAN, givenUp: 1 });
  });

  it('are young again when their owner takes them again', async () => {
    const owner = { namespace: 'default', name: 'slow', uid: 'u1' };
    await claims.clusterIPs.claim('10.96.0.7', owner);
    await check.run(RUN);
    clock += SAFE - 1;
    expect(await claims.clusterIPs.claim('10.96.0.7', owner)).toBeDefined();
    clock += 1;
    expect(await checkTwice()).toEqual({ ...CLEAN, givenUp: 1 });
  });

  it('are not taken from an owner who takes them again at that moment', async () => {
    const owner = { namespace: 'default', name: 'slow', uid: 'u1' };
    await claims.clusterIPs.claim('10.96.0.7', owner);
    await check.run(RUN);
    clock += SAFE;
    api.store.beforeWrite = async ({ op }) => {
      if (op !== 'delete') return undefined;
      api.store.beforeWrite = undefined;
      expect(await claims.clusterIPs.claim('10.96.0.7', owner)).toBeDefined();
      return undefined;
    };
    expect(await check.run(RUN)).toEqual(CLEAN);
    expect(await count()).toEqual([1, 0]);
  });
});

describe('Services', () => {
  it('that come while it looks lack nothing', async () => {
    await service('before');
    const snapshot = api.store.snapshot.bind(api.store);
    api.store.snapshot = async (query) => {
      if (query.type === api.endpoint('services').type) await service('meanwhile');
      return snapshot(query);
    };
    expect(await check.run(RUN)).toEqual(CLEAN);
    expect(findings).toEqual([]);
    expect(await count()).toEqual([2, 2]);
  });

  it('get the claims that they lack', async () => {
    await service('bare', { clusterIP: '10.96.0.9' });
    await free('10.96.0.9', await ownerOf('bare'));
    expect(await check.run(RUN)).toEqual({ ...CLEAN, claimed: 1 });
    await expect(service('other', { clusterIP: '10.96.0.9' })).rejects.toMatchObject({ code: 422 });
    expect(await check.run(RUN)).toEqual(CLEAN);
    expect(warnings).toEqual(['claimed a value that a Service used without a claim']);
  });

  it('get them also from one who never came to have the value', async () => {
    await service('bare', { clusterIP: '10.96.0.9' });
    const owner = await ownerOf('bare');
    await free('10.96.0.9', owner);
    await claims.clusterIPs.claim('10.96.0.9', { namespace: 'default', name: 'lost', uid: 'u1' });
    expect(await checkTwice()).toEqual({ ...CLEAN, givenUp: 1, claimed: 1 });
    expect((await claims.clusterIPs.all()).get('10.96.0.9')?.uid).toBe(owner.uid);
  });

  it('of one value are told once, and again when they come again', async () => {
    await service('one', { clusterIP: '10.96.0.9' });
    await free('10.96.0.9', await ownerOf('one'));
    await service('two', { clusterIP: '10.96.0.9' });
    expect(await check.run(RUN)).toEqual({ ...CLEAN, duplicates: 1 });
    expect(await check.run(RUN)).toEqual({ ...CLEAN, duplicates: 1 });
    expect(warnings).toEqual(Array(2).fill('several Services use the same value'));
    expect(findings.map(({ kind, value, owner }) => [kind, value, owner.name])).toEqual([
      ['duplicate', '10.96.0.9', 'one'],
      ['duplicate', '10.96.0.9', 'two'],
    ]);
  });

  it('without addresses, and with one port for two protocols, need nothing', async () => {
    await service('headless', { type: 'ClusterIP', clusterIP: 'None' });
    await service('outside', { type: 'ExternalName', externalName: 'example.com', ports: [] });
    const port = (protocol: string) => ({ name: protocol.toLowerCase(), port: 53, nodePort: 30003, protocol });
    await service('both', { ports: [port('TCP'), port('UDP')] });
    expect(await checkTwice()).toEqual(CLEAN);
    expect(await count()).toEqual([1, 1]);
  });

  it('outside of the ranges that there are now are told of, and keep what they have', async () => {
    await service('old', { clusterIP: '10.96.0.9', ports: [{ port: 80, nodePort: 30007 }] });
    const allocators: Allocators = {
      clusterIPs: makeAddressAllocators(serviceNetworks('10.97.0.0/24'), claims.clusterIPs),
      nodePorts: makeAllocator(portRange(30000, 30005), claims.nodePorts),
    };
    const onFinding = (finding: ClaimFinding) => findings.push(finding);
    const logger = silentLogger;
    const services = api.endpoint('services');
    const moved = new ClaimCheck({
      store: api.store,
      services,
      claims,
      allocators,
      safeMs: SAFE,
      now: () => clock,
      logger,
      onFinding,
    });
    expect(await moved.run(RUN)).toEqual({ ...CLEAN, outside: 2 });
    clock += 10 * SAFE;
    expect(await moved.run(RUN)).toEqual({ ...CLEAN, outside: 2 });
    expect(findings.map(({ range, kind, value }) => [range, kind, value])).toEqual([
      ['clusterIPs', 'outside', '10.96.0.9'],
      ['nodePorts', 'outside', '30007'],
    ]);
    expect(await held()).toEqual([['10.96.0.9'], ['30007']]);
  });
});

describe('Events', () => {
  it.each<[ClaimFinding['range'], ClaimFinding['kind'], string, string, string]>([
    [
      'clusterIPs',
      'unallocated',
      '10.96.0.9',
      'ClusterIPNotAllocated',
      'Cluster IP [IPv4]:10.96.0.9 is not allocated; repairing',
    ],
    [
      'clusterIPs',
      'duplicate',
      '10.96.0.9',
      'ClusterIPAlreadyAllocated',
      'Cluster IP [IPv4]:10.96.0.9 was assigned to multiple services; please recreate service',
    ],
    [
      'clusterIPs',
      'outside',
      '10.97.0.9',
      'ClusterIPOutOfRange',
      'Cluster IP [IPv4]:10.97.0.9 is not within the service CIDR 10.96.0.0/24; please recreate service',
    ],
    [
      'clusterIPs',
      'outside',
      'fd00::9',
      'ClusterIPNotValid',
      'Cluster IP fd00::9(IPv6) is of ip family that is no longer configured on cluster; please recreate service',
    ],
    [
      'nodePorts',
      'duplicate',
      '30001',
      'PortAlreadyAllocated',
      'Port 30001 was assigned to multiple services; please recreate service',
    ],
    [
      'nodePorts',
      'outside',
      '40000',
      'PortOutOfRange',
      'Port 40000 is not within the port range 30000-30010; please recreate service',
    ],
  ])('of %s that are %s: %s', async (range, kind, value, reason, message) => {
    const { pipeline } = api.deps;
    const events = api.endpoint('events', '');
    const sink = new ClaimEventSink({ pipeline, events, allocators: api.allocators, instance: 'host', now: Date.now });
    const owner = { namespace: 'default', name: 'web', uid: 'u1' };
    await sink.create({ range, kind, value, owner }, { goesOn: true });
    const over = sink.create({ range, kind, value, owner }, { goesOn: false });
    await expect(over).rejects.toMatchObject({ code: 503 });
    const [row] = api.store.rows(events.type);
    const event = JSON.parse(row?.body.toString() ?? '') as Record<string, unknown>;
    expect(event).toMatchObject({ reason, message, type: 'Warning', involvedObject: { kind: 'Service', ...owner } });
  });
});
