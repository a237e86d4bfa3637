import { networkInterfaces } from 'node:os';
import { addressFamily, canonicalAddress } from '@orch/machinery';
import type { NodeAddress } from '@orch/schema/types/core/v1';

/** An address of an interface of the machine. */
interface MachineAddress {
  /** The address. */
  readonly address: string;
  /** Whether it is one of loopback. */
  readonly internal: boolean;
}

/** Returns all addresses of this machine. */
export const machineAddresses = (): MachineAddress[] => Object.values(networkInterfaces()).flatMap((all) => all ?? []);

/**
 * Returns the addresses of the node: those that are wanted, or the machine's first one of IPv4, or else of IPv6.
 * @param wanted value of `--node-ip`; `0.0.0.0` and `::` leave the choice but for the family
 * @throws Error for an address that a node cannot have
 */
export function nodeIPs(wanted: readonly string[], machine: readonly MachineAddress[]): string[] {
  const usable = machine
    .filter(({ address, internal }) => !internal && !isSpecial(address))
    .map(({ address }) => address);
  const first = (family: 4 | 6) => usable.find((address) => addressFamily(address) === family);
  const chosen = wanted.map((address) => {
    if (address === '0.0.0.0') return first(4) ?? none();
    if (address === '::') return first(6) ?? none();
    checkNodeIP(address, machine);
    return canonicalAddress(address);
  });
  return chosen.length > 0 ? chosen : [first(4) ?? first(6) ?? none()];
}

function none(): never {
  throw new Error('the machine has no address that a node can have; use --node-ip');
}

/** An address of a link, of loopback or of many is no address of a node. */
const isSpecial = (address: string): boolean =>
  /^(?:127\.|169\.254\.|0\.|2(?:2[4-9]|3\d)\.)/.test(address) || /^(?:::1?$|fe[89ab]|ff)/i.test(address);

function checkNodeIP(address: string, machine: readonly MachineAddress[]): void {
  if (isSpecial(address)) throw new Error(`nodeIP ${address} can't be a loopback, link-local or multicast address`);
  const own = canonicalAddress(address);
  if (!machine.some((candidate) => canonicalAddress(candidate.address.replace(/%.*/, '')) === own))
    throw new Error(`node IP: "${address}" not found in the host's network interfaces`);
}

/** Returns the addresses of the node's status. */
export const nodeAddresses = (ips: readonly string[], hostname: string): NodeAddress[] => [
  ...ips.map((address) => ({ type: 'InternalIP', address })),
  { type: 'Hostname', address: hostname },
];

/** Returns the name of the node: the host's name, in lower case, or what stands in for it. @throws Error if it is empty */
export function nodeNameOf(hostname: string, override: string | undefined): string {
  const name = (override ?? hostname).trim().toLowerCase();
  if (name === '') throw new Error('empty hostname is invalid');
  return name;
}
