import { type ApiObject, copy, invalid, namesOf, StatusError } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { expect, it } from 'vitest';
import { type Allocators, makeAddressAllocators, makeAllocator } from '../allocation/allocator.js';
import { portRange, serviceNetworks } from '../allocation/ranges.js';
import { kindRules } from '../registry/registry.js';
import { MemoryClaims } from '../testing/memory-claims.js';
import { through } from '../testing/through.js';
import { vectorsOf } from '../testing/vectors.js';
import { objectsAt, stringsAt } from '../values/fields.js';

/**
 * What the release's own code makes of new and changed Services: strategy, validation and allocators of 1.27.16, run over drawn
 * specs. Of what it chooses itself it is said whether it was kept, and of which family it is.
 */
interface Vector {
  /** Families of the networks, the first being the default: `46`. */
  readonly networks: string;
  /** As it was created before; what is tried is its creation where this is missing. */
  readonly old?: object;
  readonly new: object;
  readonly becomes?: object;
  /** `field reason message`, sorted. */
  readonly refused?: readonly string[];
  /** Those that are taken afterwards. */
  readonly addresses: readonly string[];
  readonly ports: readonly (string | number)[];
}

const vectors = vectorsOf<Vector>('reference-service-changes.jsonl', import.meta.url);

const names = namesOf('orch');
const definition = loadScheme(names).resource('', 'v1', 'services');
if (!definition) throw new Error('no services');
const { schema } = definition;
const rules = kindRules(definition, names);
const NETWORKS: Record<string, string> = { '4': '10.96.0.0/24', '6': 'fd00:96::/112' };

function prepared(spec: object): ApiObject {
  const object: ApiObject = { metadata: { name: 'web', namespace: 'default', uid: 'u1' }, spec: copy(spec) };
  applyDefaults(schema, object);
  rules.defaults(object);
  return object;
}

async function write(object: ApiObject, old: ApiObject | undefined, allocators: Allocators): Promise<void> {
  if (old) rules.prepareForUpdate(object, old, through());
  else rules.prepareForCreate(object, through());
  const errors = [...(old ? rules.validateUpdate(object, old) : rules.validateCreate(object))].flat();
  if (errors.length > 0) throw invalid('Service', '', 'web', errors);
  await (await rules.allocate(object, old, allocators))?.settle();
}

/** Addresses and ports that nobody asked for stand for themselves by kind. */
function shown({ old: before, new: after }: Vector, old: ApiObject | undefined) {
  const said = JSON.stringify([before, after]);
  const kept = stringsAt(old?.spec, 'clusterIPs');
  const address = (text: string) =>
    text === 'None' || said.includes(`"${text}"`)
      ? text
      : `${kept.includes(text) ? 'kept' : 'auto'}${text.includes(':') ? 6 : 4}`;
  const chosen = new Map<unknown, string>();
  const had = [...objectsAt(old?.spec, 'ports').map(({ nodePort }) => nodePort), Object(old?.spec).healthCheckNodePort];
  for (const port of had) if (port && !chosen.has(port)) chosen.set(port, `kept${chosen.size}`);
  const nodePort = (port: unknown) => {
    if (said.includes(String(port))) return port;
    if (!chosen.has(port)) chosen.set(port, `auto${chosen.size}`);
    return chosen.get(port);
  };
  const spec = ({ clusterIP, clusterIPs, ports, healthCheckNodePort, ...rest }: Record<string, unknown>) => ({
    ...rest,
    ...(clusterIP ? { clusterIP: address(String(clusterIP)) } : {}),
    ...(Array.isArray(clusterIPs) && clusterIPs.length > 0 ? { clusterIPs: clusterIPs.map(address) } : {}),
    ...(Array.isArray(ports) && ports.length > 0
      ? { ports: ports.map((port) => ({ ...port, ...(port.nodePort && { nodePort: nodePort(port.nodePort) }) })) }
      : {}),
    ...(healthCheckNodePort ? { healthCheckNodePort: nodePort(healthCheckNodePort) } : {}),
  });
  const taken = (port: string) => (said.includes(port) ? Number(port) : 'auto');
  return { address, spec, taken };
}

/** What is asked of the release here is what it stores; of names for others it keeps one thing that it shows to nobody. */
function readable({ internalTrafficPolicy, ...spec }: Record<string, unknown>): Record<string, unknown> {
  return spec.type === 'ExternalName' ? spec : { internalTrafficPolicy, ...spec };
}

it.each(vectors.map((vector) => [JSON.stringify([vector.networks, vector.old, vector.new]), vector] as const))(
  '%s',
  async (_, vector) => {
    const [addresses, ports] = [new MemoryClaims(), new MemoryClaims()];
    const networks = serviceNetworks([...vector.networks].map((family) => NETWORKS[family]).join(','));
    const allocators = {
      clusterIPs: makeAddressAllocators(networks, addresses),
      nodePorts: makeAllocator(portRange(30000, 32767), ports),
    };
    const old = vector.old && prepared(vector.old);
    if (old) await write(old, undefined, allocators);
    const before = old && copy(old);
    const object = prepared(vector.new);
    const refused = await write(object, old, allocators).catch((error: unknown) => error);
    const { address, spec, taken } = shown(vector, before);
    if (vector.refused) {
      if (!(refused instanceof StatusError)) throw refused ?? new Error('was not refused');
      const causes = refused.status.details?.causes ?? [];
      expect(causes.map(({ field, reason, message }) => `${field} ${reason} ${message}`).sort()).toEqual(
        vector.refused,
      );
    } else {
      if (refused) throw refused;
      expect(readable(spec(Object(object.spec)))).toEqual(readable({ ...vector.becomes }));
    }
    expect(old).toEqual(before);
    expect([...addresses.taken.keys()].map(address).sort()).toEqual(vector.addresses);
    expect([...ports.taken.keys()].map(taken).sort()).toEqual(vector.ports);
  },
);
