import { type ApiObject, namesOf, StatusError } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Allocators, type ClaimStore, makeAddressAllocators, makeAllocator } from '../allocation/allocator.js';
import { addressRange, portRange } from '../allocation/ranges.js';
import { kindRules } from '../registry/registry.js';
import { MemoryClaims } from '../testing/memory-claims.js';
import { through } from '../testing/through.js';

const names = namesOf('orch');
const definition = loadScheme(names).resource('', 'v1', 'services');
if (!definition) throw new Error('no services');
const rules = kindRules(definition, names);
const { schema } = definition;

let addresses: MemoryClaims;
let ports: MemoryClaims;
let allocators: Allocators;
beforeEach(() => {
  addresses = new MemoryClaims();
  ports = new MemoryClaims();
  allocators = {
    clusterIPs: makeAddressAllocators([addressRange('10.96.0.0/29')], addresses),
    nodePorts: makeAllocator(portRange(30000, 30002), ports),
  };
});

function service(spec: object, uid = 'u1'): ApiObject {
  const object: ApiObject = {
    metadata: { name: 'web', namespace: 'default', uid },
    spec: { ports: [{ port: 80 }], ...spec },
  };
  applyDefaults(schema, object);
  rules.defaults(object);
  return object;
}

describe('defaults', () => {
  it('makes a cluster-internal Service', () => {
    expect(service({}).spec).toEqual({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
  });

  it('adds what load balancers need', () => {
    expect(service({ type: 'LoadBalancer', sessionAffinity: 'ClientIP' }).spec).toMatchObject({
      externalTrafficPolicy: 'Cluster',
      allocateLoadBalancerNodePorts: true,
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
    });
  });

  it('drops the settings of an affinity that is off', () => {
    expect(service({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } }).spec).not.toHaveProperty(
      'sessionAffinityConfig',
    );
  });
});

describe('allocation', () => {
  it('gives addresses and ports inside their ranges, each once, until they are gone', async () => {
    const given = new Set<unknown>();
    for (let index = 0; index < 5; index++) {
      const object = service({}, `uid-${index}`);
      await rules.allocate(object, undefined, allocators);
      given.add(Object(object.spec).clusterIP);
      expect(object.spec).toMatchObject({
        clusterIPs: [Object(object.spec).clusterIP],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      });
    }
    expect([...given].sort()).toEqual(['10.96.0.2', '10.96.0.3', '10.96.0.4', '10.96.0.5', '10.96.0.6']);
    await expect(rules.allocate(service({}, 'late'), undefined, allocators)).rejects.toThrow('range is full');
  });

  it('asks for the ports of one Service together, and for none when they cannot be had', async () => {
    let rounds = 0;
    let round: Promise<void> | undefined;
    /** What is asked for in one turn of the event loop travels together. */
    const travelling = async (): Promise<void> => {
      round ??= new Promise((resolve) =>
        setImmediate(() => {
          rounds++;
          round = undefined;
          resolve();
        }),
      );
      await round;
    };
    const slow: ClaimStore = {
      claim: async (value, owner) => travelling().then(() => ports.claim(value, owner)),
      held: async (value, owner) => travelling().then(() => ports.held(value, owner)),
      isFree: async (value, owner) => travelling().then(() => ports.isFree(value, owner)),
      all: async () => travelling().then(() => ports.all()),
    };
    const wide = { ...allocators, nodePorts: makeAllocator(portRange(30000, 32767), slow) };
    const withPorts = (count: number, uid: string) =>
      service({ type: 'NodePort', ports: Array.from({ length: count }, (_, i) => ({ port: i + 1 })) }, uid);
    const large = withPorts(2000, 'u1');
    const allocation = await rules.allocate(large, undefined, wide);
    expect(new Set(Object(large.spec).ports.map(({ nodePort }: { nodePort: number }) => nodePort)).size).toBe(2000);
    expect(rounds).toBeLessThan(40);
    await allocation?.settle();
    rounds = 0;
    // Of those that it needs too few are left: what was taken is given back.
    await expect(rules.allocate(withPorts(1000, 'u2'), undefined, wide)).rejects.toThrow('range is full');
    expect(ports.taken.size).toBe(2000);
    expect(rounds).toBeLessThan(80);
    rounds = 0;
    await expect(rules.allocate(withPorts(2769, 'u3'), undefined, wide)).rejects.toThrow('range is full');
    expect(rounds).toBe(0);
    await rules.release(large, wide);
    expect(ports.taken.size).toBe(0);
    expect(rounds).toBeLessThan(40);
  });

  it('gives the same owner the same address again', async () => {
    const [first, second] = [service({}), service({})];
    await rules.allocate(first, undefined, allocators);
    await rules.allocate(second, undefined, allocators);
    expect(first.spec).toEqual(second.spec);
    expect(addresses.taken.size).toBe(1);
  });

  it('refuses wanted values that are taken or out of range, and holds nothing then', async () => {
    await rules.allocate(service({ clusterIP: '10.96.0.3' }), undefined, allocators);
    const refused = rules.allocate(service({ type: 'NodePort', clusterIP: '10.96.0.3' }, 'u2'), undefined, allocators);
    await expect(refused).rejects.toMatchObject({ status: { reason: 'Invalid', code: 422 } });
    const badPort = service({ type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] }, 'u2');
    await expect(rules.allocate(badPort, undefined, allocators)).rejects.toBeInstanceOf(StatusError);
    expect(addresses.taken).toEqual(new Map([['10.96.0.3', 'u1']]));
    expect(ports.taken.size).toBe(0);
  });

  it('takes back what a failed write took', async () => {
    const allocation = await rules.allocate(service({ type: 'NodePort' }), undefined, allocators);
    expect([addresses.taken.size, ports.taken.size]).toEqual([1, 1]);
    await allocation?.undo();
    expect([addresses.taken.size, ports.taken.size]).toEqual([0, 0]);
  });

  it('needs no address without one or outside', async () => {
    const headless = service({ clusterIP: 'None' });
    await rules.allocate(headless, undefined, allocators);
    await rules.allocate(service({ type: 'ExternalName', externalName: 'example.com' }), undefined, allocators);
    expect(headless.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
    expect(addresses.taken.size).toBe(0);
  });

  it('keeps its values over an update that leaves them out, and gives up what it no longer needs', async () => {
    const old = service({ type: 'NodePort' });
    await rules.allocate(old, undefined, allocators);
    const { clusterIP, ports: oldPorts } = Object(old.spec);
    const same = service({ type: 'NodePort' });
    rules.prepareForUpdate(same, old, through());
    await (await rules.allocate(same, old, allocators))?.settle();
    expect(same.spec).toMatchObject({ clusterIP, ports: oldPorts });
    const inner = service({});
    rules.prepareForUpdate(inner, old, through());
    await (await rules.allocate(inner, old, allocators))?.settle();
    expect([addresses.taken.size, ports.taken.size]).toEqual([1, 0]);
    await rules.release(inner, allocators);
    expect(addresses.taken.size).toBe(0);
  });

  it('takes back what it took when it cannot be found out what it gives up', async () => {
    const old = service({ type: 'NodePort' });
    await rules.allocate(old, undefined, allocators);
    const before = new Map(ports.taken);
    ports.held = async () => Promise.reject(new Error('no database'));
    const { ports: [port] = [] } = Object(old.spec);
    const other = service({
      type: 'NodePort',
      ports: [{ port: 80, nodePort: port.nodePort === 30000 ? 30001 : 30000 }],
    });
    await expect(rules.allocate(other, old, allocators)).rejects.toThrow('no database');
    expect(ports.taken).toEqual(before);
  });

  it('does not move to another address', () => {
    const old = service({ clusterIP: '10.96.0.2', clusterIPs: ['10.96.0.2'] });
    const moved = service({ clusterIP: '10.96.0.3' });
    rules.prepareForUpdate(moved, old, through());
    expect([...rules.validateUpdate(moved, old)].flat().map(({ field }) => field)).toEqual(['spec.clusterIPs[0]']);
    expect(
      [...rules.validateUpdate(service({ type: 'ExternalName', externalName: 'example.com' }), old)].flat(),
    ).toEqual([]);
  });
});

it('has no address of its own where it is but another name', () => {
  const object = service({ type: 'ExternalName', externalName: 'example.com', clusterIP: '10.96.0.2' });
  expect([...rules.validateCreate(object)].flat().map(({ field }) => field)).toEqual(['spec.clusterIPs']);
  expect([...rules.validateCreate(service({ type: 'ExternalName', externalName: 'example.com' }))].flat()).toEqual([]);
});

it('says nothing of traffic to its address any more when it becomes but another name', () => {
  const old = service({ type: 'ClusterIP', internalTrafficPolicy: 'Cluster' });
  const name = service({ type: 'ExternalName', externalName: 'example.com', internalTrafficPolicy: 'Cluster' });
  rules.prepareForUpdate(name, old, through());
  expect(name.spec).not.toHaveProperty('internalTrafficPolicy');
});

it('prints type, addresses and ports', () => {
  const object = service({
    type: 'LoadBalancer',
    clusterIPs: ['10.96.0.2'],
    selector: { b: '2', a: '1' },
    ports: [
      { port: 80, nodePort: 30000 },
      { port: 53, protocol: 'UDP' },
    ],
  });
  expect(rules.cells(object, 0)).toEqual([
    'web',
    'LoadBalancer',
    '10.96.0.2',
    '<pending>',
    '80:30000/TCP,53/UDP',
    '<unknown>',
    'a=1,b=2',
  ]);
  object.status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }] } };
  expect(rules.cells(object, 0)[3]).toBe('192.0.2.1,lb.example.com');
});

it('reads networks', () => {
  const range = addressRange('10.96.0.0/12');
  expect([range.first, range.valueAt(0), range.valueAt(range.size - 1)]).toEqual([
    '10.96.0.1',
    '10.96.0.2',
    '10.111.255.254',
  ]);
  expect(['10.95.255.255', '10.96.0.0', '10.96.0.1', '10.111.255.255', '10.300.0.1', 'x'].map(range.contains)).toEqual([
    false,
    false,
    true,
    false,
    false,
    false,
  ]);
  expect(() => addressRange('10.0.0.0/31')).toThrow(RangeError);
});

it('loses with its type what only that type has, unless it asks for something else', () => {
  const old = service({
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 30001,
    allocateLoadBalancerNodePorts: true,
    clusterIP: '10.96.0.2',
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30000 }],
  });
  const object = service({
    ...Object(old.spec),
    type: 'ClusterIP',
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30000 }],
  });
  rules.prepareForUpdate(object, old, through());
  for (const member of ['externalTrafficPolicy', 'healthCheckNodePort', 'allocateLoadBalancerNodePorts']) {
    expect(object.spec).not.toHaveProperty(member);
  }
  expect(Object(object.spec).ports[0]).not.toHaveProperty('nodePort');
  const asking = service({ type: 'ClusterIP', externalTrafficPolicy: 'Cluster', ports: [{ port: 80 }] });
  rules.prepareForUpdate(asking, old, through());
  expect([...rules.validateUpdate(asking, old)].flat().map(({ field }) => field)).toContain(
    'spec.externalTrafficPolicy',
  );
});

it('loses what the status says of a balancer when it is none any more', () => {
  const old = { ...service({ type: 'LoadBalancer' }), status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
  const object = { ...service({ type: 'ClusterIP' }), status: {} };
  rules.prepareForUpdate(object, old, through());
  expect(object.status).toEqual({ loadBalancer: {} });
  const same = { ...service({ type: 'LoadBalancer', selector: { a: 'b' } }), status: {} };
  rules.prepareForUpdate(same, old, through());
  expect(same.status).toEqual(old.status);
});

describe('the first addresses of a network', () => {
  const network = addressRange('10.96.0.0/26');
  const networks = () => makeAllocator(network, addresses);
  const give = async (allocator: ReturnType<typeof networks>, count: number) => {
    const owner = { namespace: 'default', name: 'web', uid: 'u' };
    const given = await allocator.allocate(
      owner,
      Array.from({ length: count }, () => undefined),
      new Set(),
    );
    return given.map(({ value }) => Number(value.split('.')[3]));
  };

  it('are for who asks for them, until there are no others', async () => {
    // .1 is the API's own; of the other 15 of the first 16 none is given while there are others.
    expect((await give(networks(), 46)).sort((a, b) => a - b)).toEqual(Array.from({ length: 46 }, (_, i) => i + 17));
    expect(await networks().allocate({ namespace: 'a', name: 'b', uid: 'c' }, ['10.96.0.2'], new Set())).toHaveLength(
      1,
    );
    addresses.taken.clear();
    expect(new Set(await give(networks(), 61)).size).toBe(61);
    await expect(give(makeAllocator(network, addresses), 62)).rejects.toThrow('range is full');
  });

  it.each([
    ['10.0.0.0/28', 0],
    ['10.0.0.0/27', 15],
    ['10.0.0.0/24', 15],
    ['10.0.0.0/21', 127],
    ['10.0.0.0/20', 255],
    ['10.0.0.0/12', 255],
    ['fd00::/112', 255],
    ['fd00::/64', 255],
  ])('of %s are %i beside the one of the API', (cidr, count) => {
    expect(addressRange(cidr).setAside).toBe(count);
  });
});

it('finds the last free address of a network behind thousands that are taken', async () => {
  const network = addressRange('10.96.0.0/18');
  for (let index = 0; index < network.size; index++) addresses.taken.set(network.valueAt(index), 'other');
  addresses.taken.delete('10.96.0.7');
  const owner = { namespace: 'default', name: 'web', uid: 'u' };
  const give = () => makeAllocator(network, addresses).allocate(owner, [undefined], new Set());
  expect((await give()).map(({ value }) => value)).toEqual(['10.96.0.7']);
  addresses.taken.set('10.96.0.7', 'other');
  await expect(give()).rejects.toThrow('range is full');
});
