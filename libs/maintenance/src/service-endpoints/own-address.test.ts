import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Network, ownAddress, thisMachine } from './own-address.js';

const at = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

const MACHINE: Network = {
  interfaces: {
    lo: [at('127.0.0.1', true), at('::1', true)],
    docker0: [at('172.17.0.1')],
    eth0: [at('fe80::1'), at('10.1.2.3'), at('2001:db8::3')],
  },
  outward: 'eth0',
};

describe('the address that others reach a server by', () => {
  it.each([
    ['all addresses', '0.0.0.0', '10.1.2.3'],
    ['all addresses of IPv6', '::', '2001:db8::3'],
    ['a loopback address', '127.0.0.1', '10.1.2.3'],
    ['one address', '172.17.0.1', '172.17.0.1'],
  ])('that listens on %s', (_what, bindAddress, expected) => {
    expect(ownAddress({ bindAddress }, MACHINE)).toBe(expected);
  });

  it('is of the family of the Service where the server listens on both, and of the one that it listens on elsewhere', () => {
    expect(ownAddress({ bindAddress: '::' }, MACHINE, 'IPv4')).toBe('10.1.2.3');
    expect(ownAddress({ bindAddress: '::' }, MACHINE, 'IPv6')).toBe('2001:db8::3');
    expect(ownAddress({ bindAddress: '0.0.0.0' }, MACHINE, 'IPv6')).toBe('10.1.2.3');
  });

  it('is the one that is given', () => {
    expect(ownAddress({ bindAddress: '0.0.0.0', advertiseAddress: '192.0.2.9' }, MACHINE)).toBe('192.0.2.9');
  });

  it('is any where no route is known, and none where there is none', () => {
    expect(ownAddress({ bindAddress: '0.0.0.0' }, { ...MACHINE, outward: undefined })).toBe('172.17.0.1');
    const alone = { interfaces: { lo: [at('127.0.0.1', true)] }, outward: undefined };
    expect(ownAddress({ bindAddress: '0.0.0.0' }, alone)).toBeUndefined();
  });

  it('is no loopback address of this machine', () => {
    expect(ownAddress({ bindAddress: '0.0.0.0' }, thisMachine())).not.toMatch(/^127\.|^::1$/);
  });
});
