import { canonicalAddress } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import type { AddressAllocators } from '../allocation/allocator.js';
import { makeAllocator } from '../allocation/allocator.js';
import { addressRange, serviceNetworks } from '../allocation/ranges.js';
import { MemoryClaims } from '../testing/memory-claims.js';
import { validateAddresses, validateAddressUpdate } from './service-address-validation.js';
import { settleFamilies } from './service-families.js';

const claims = new MemoryClaims();
const v4 = makeAllocator(addressRange('10.96.0.0/16'), claims);
const v6 = makeAllocator(addressRange('fd00:96::/112'), claims);
const dual: AddressAllocators = { defaultFamily: 'IPv4', of: (family) => (family === 'IPv4' ? v4 : v6) };
const six: AddressAllocators = { defaultFamily: 'IPv6', of: (family) => (family === 'IPv6' ? v6 : undefined) };
const only: AddressAllocators = { defaultFamily: 'IPv4', of: (family) => (family === 'IPv4' ? v4 : undefined) };

const [A4, B4, A6] = ['10.96.0.9', '10.96.0.10', 'fd00:96::9'];
const [single, prefer, need] = ['SingleStack', 'PreferDualStack', 'RequireDualStack'];
const [four, both] = [['IPv4'], ['IPv4', 'IPv6']];
const selector = { app: 'a' };

/** What becomes of a spec: policy, families and addresses, or the refusals. */
function settled(spec: object, networks: AddressAllocators, old?: object): unknown {
  const type = 'ClusterIP';
  const object: Record<string, unknown> = { type, selector, ...spec };
  const errors = settleFamilies(object, old && { type, selector, ...old }, networks);
  if (errors.length > 0) return errors.map(({ field, message }) => `${field}: ${message}`);
  return [object.ipFamilyPolicy, object.ipFamilies, object.clusterIPs];
}

describe('the families of a new Service', () => {
  it.each<[string, object, AddressAllocators, unknown]>([
    ['nothing asked for', {}, dual, [single, four, undefined]],
    ['nothing asked for where IPv6 comes first', {}, six, [single, ['IPv6'], undefined]],
    ['both preferred', { ipFamilyPolicy: prefer }, dual, [prefer, both, undefined]],
    ['both preferred where there is one', { ipFamilyPolicy: prefer }, only, [prefer, four, undefined]],
    ['both needed', { ipFamilyPolicy: need }, dual, [need, both, undefined]],
    [
      'both, the other one first',
      { ipFamilyPolicy: need, ipFamilies: ['IPv6'] },
      dual,
      [need, ['IPv6', 'IPv4'], undefined],
    ],
    ['the other one', { ipFamilies: ['IPv6'] }, dual, [single, ['IPv6'], undefined]],
    ['an address of the other one', { clusterIP: A6, clusterIPs: [A6] }, dual, [single, ['IPv6'], [A6]]],
    ['none at all', { clusterIP: 'None', clusterIPs: ['None'] }, dual, [single, four, ['None']]],
    [
      'none, and endpoints of somebody else',
      { clusterIP: 'None', clusterIPs: ['None'], selector: {} },
      only,
      [need, both, ['None']],
    ],
    [
      'both needed where there is one',
      { ipFamilyPolicy: need },
      only,
      [`spec.ipFamilyPolicy: Invalid value: "${need}": this cluster is not configured for dual-stack services`],
    ],
    [
      'a family that there is not',
      { ipFamilies: ['IPv6'] },
      only,
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'an address of a family that there is not',
      { clusterIP: A6, clusterIPs: [A6] },
      only,
      [`spec.clusterIPs[0]: Invalid value: []string{"${A6}"}: IPv6 is not configured on this cluster`],
    ],
    [
      'two of everything in one',
      { ipFamilyPolicy: single, clusterIP: A4, clusterIPs: [A4, A6], ipFamilies: both },
      dual,
      ['cluster IPs', 'IP families'].map(
        (what) =>
          `spec.ipFamilyPolicy: Invalid value: "${single}": must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      ),
    ],
  ])('with %s', (_what, spec, networks, expected) => {
    expect(settled(spec, networks)).toEqual(expected);
  });
});

describe('a Service that changes its families', () => {
  const one = { ipFamilyPolicy: single, ipFamilies: four, clusterIP: A4, clusterIPs: [A4] };
  const two = { ipFamilyPolicy: prefer, ipFamilies: both, clusterIP: A4, clusterIPs: [A4, A6] };

  it('gets the second one when it asks for it', () => {
    expect(settled({ ...one, ipFamilyPolicy: prefer }, dual, one)).toEqual([prefer, both, [A4]]);
    expect(settled({ ...one, ipFamilyPolicy: need }, only, one)).toHaveLength(1);
  });

  it('loses the second one by the policy, and by nothing else', () => {
    expect(settled({ ...two, ipFamilyPolicy: single }, dual, two)).toEqual([single, four, [A4]]);
    expect(settled({ ...two, clusterIPs: [A4], ipFamilies: four }, dual, two)).toEqual([
      `spec.ipFamilyPolicy: Invalid value: "${prefer}": must be 'SingleStack' to release the secondary cluster IP`,
      `spec.ipFamilyPolicy: Invalid value: "${prefer}": must be 'SingleStack' to release the secondary IP family`,
    ]);
  });

  it('stays as it is when the networks change', () => {
    const preferring = { ...one, ipFamilyPolicy: prefer };
    expect(settled(preferring, dual, preferring)).toEqual([prefer, four, [A4]]);
    expect(settled(two, only, two)).toEqual([prefer, both, [A4, A6]]);
  });
});

describe('what a Service may ask for', () => {
  const refused = (spec: object) => validateAddresses(spec).map(({ field, message }) => `${field}: ${message}`);
  it.each<[object, string[]]>([
    [{}, []],
    [{ clusterIP: A4, clusterIPs: [A4, A6], ipFamilies: both, ipFamilyPolicy: need }, []],
    [{ clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv6'] }, []],
    [{ clusterIP: A4 }, ['spec.clusterIPs: Required value']],
    [
      { clusterIPs: [A4] },
      [`spec.clusterIPs: Invalid value: []string{"${A4}"}: must be empty when \`clusterIP\` is not specified`],
    ],
    [
      { clusterIP: B4, clusterIPs: [A4] },
      [`spec.clusterIPs: Invalid value: []string{"${A4}"}: first value must match \`clusterIP\``],
    ],
    [
      { ipFamilies: ['IPv4', 'IPv4', 'IPv5'], ipFamilyPolicy: 'Any' },
      [
        'spec.ipFamilies[1]: Duplicate value: "IPv4"',
        'spec.ipFamilies[2]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
        'spec.ipFamilyPolicy: Unsupported value: "Any": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
    [
      { clusterIP: 'None', clusterIPs: ['None', A4] },
      [`spec.clusterIPs: Invalid value: []string{"None", "${A4}"}: 'None' must be the first and only value`],
    ],
    [
      { clusterIP: A4, clusterIPs: [A4, B4] },
      [
        `spec.clusterIPs: Invalid value: []string{"${A4}", "${B4}"}: may specify no more than one IP for each IP family`,
      ],
    ],
    [
      { clusterIP: A4, clusterIPs: [A4], ipFamilies: ['IPv6'] },
      [`spec.clusterIPs[0]: Invalid value: "${A4}": expected an IPv6 value as indicated by \`ipFamilies[0]\``],
    ],
    [
      { clusterIP: 'x', clusterIPs: ['x'] },
      ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
  ])('%j', (spec, expected) => {
    expect(refused(spec)).toEqual(expected);
  });

  it('keeps the first address, and the second one while it has two', () => {
    const changed = (now: string[], was: string[]) =>
      validateAddressUpdate({ clusterIPs: now }, { clusterIPs: was }).map(({ field }) => field);
    expect(changed([A4, A6], [A4])).toEqual([]);
    expect(changed([A4], [A4, A6])).toEqual([]);
    expect(changed([B4], [A4, A6])).toEqual(['spec.clusterIPs[0]']);
    expect(changed([A4, 'fd00:96::a'], [A4, A6])).toEqual(['spec.clusterIPs[1]']);
    expect(changed([], [A4])).toEqual(['spec.clusterIPs[0]']);
    expect(changed(['None'], ['None'])).toEqual([]);
  });
});

describe('networks', () => {
  it('are of IPv6 too, of which 65,536 addresses are used', () => {
    const range = addressRange('fd00:96::1234/64');
    expect([range.family, range.first, range.size]).toEqual(['IPv6', 'fd00:96::1', 65534]);
    expect([range.valueAt(0), range.valueAt(range.size - 1)]).toEqual(['fd00:96::2', 'fd00:96::ffff']);
    const inside = ['fd00:96::', 'fd00:96::1', 'FD00:96:0::2', 'fd00:96::ffff', 'fd00:96::1:0', '10.96.0.1', 'x'];
    expect(inside.map(range.contains)).toEqual([false, true, true, true, false, false, false]);
    expect(addressRange('fd00::/126').size).toBe(2);
  });

  it('are one, or one of each family', () => {
    expect(serviceNetworks('fd00::/112, 10.0.0.0/16').map(({ family }) => family)).toEqual(['IPv6', 'IPv4']);
    for (const wrong of ['', '10.0.0.0/16,10.1.0.0/16', '10.0.0.0/16,fd00::/112,fd01::/112', 'fd00::/127', '10.0.0.0'])
      expect(() => serviceNetworks(wrong), wrong).toThrow(RangeError);
  });

  it.each([
    ['0:0:0:0:0:0:0:0', '::'],
    ['FD00:0096:0:0:1::', 'fd00:96:0:0:1::'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
    ['::1', '::1'],
    ['010.001.2.3', '10.1.2.3'],
    ['none', 'none'],
  ])('have one way to write %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });
});
