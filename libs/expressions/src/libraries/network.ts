import { BOOL, INT, objectOf, STRING } from '../types/type.js';
import { Failure, failureOr, Opaque, type Value } from '../values/value.js';
import {
  formatAddress,
  type IpAddress,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isMapped,
  isUnspecified,
  leading,
  masked,
  parseAddress,
} from './addresses.js';
import { globalForm, type Library, methodForm } from './library.js';

const IP = objectOf('net.IP');
const CIDR = objectOf('net.CIDR');

class IpValue extends Opaque {
  override readonly typeName = 'net.IP';

  constructor(readonly address: IpAddress) {
    super();
  }

  override get size(): number {
    return this.address.bits / 8;
  }

  override equals(other: Value): boolean | Failure {
    return other instanceof IpValue ? sameAddress(this.address, other.address) : failureOr(other);
  }
}

class CidrValue extends Opaque {
  override readonly typeName = 'net.CIDR';

  constructor(
    readonly address: IpAddress,
    readonly length: number,
  ) {
    super();
  }

  override get size(): number {
    return Math.ceil(this.length / 8);
  }

  override equals(other: Value): boolean | Failure {
    if (!(other instanceof CidrValue)) return failureOr(other);
    return this.length === other.length && sameAddress(this.address, other.address);
  }

  contains(address: IpAddress): boolean {
    return address.bits === this.address.bits && leading(address, this.length) === leading(this.address, this.length);
  }
}

const sameAddress = (a: IpAddress, b: IpAddress): boolean => a.bits === b.bits && a.value === b.value;

function readIp(text: string): IpValue | Failure {
  const quoted = JSON.stringify(text);
  const [plain = '', zone] = text.split('%', 2);
  const address = parseAddress(plain);
  if (!address || (zone !== undefined && address.bits === 32))
    return new Failure(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
    );
  if (zone !== undefined) return new Failure(`IP address ${quoted} with zone value is not allowed`);
  return isMapped(address) ? new Failure(`IPv4-mapped IPv6 address ${quoted} is not allowed`) : new IpValue(address);
}

function readCidr(text: string): CidrValue | Failure {
  const quoted = JSON.stringify(text);
  const slash = text.lastIndexOf('/');
  const address = parseAddress(text.slice(0, Math.max(0, slash)));
  const length = text.slice(slash + 1);
  const fits = address && /^(?:0|[1-9]\d{0,2})$/.test(length) && Number(length) <= address.bits;
  if (!fits)
    return new Failure(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${quoted}): no address with the length of its prefix`,
    );
  if (isMapped(address))
    return new Failure(
      `network address parse error during conversion from string: IPv4-mapped IPv6 address ${quoted} is not allowed`,
    );
  return new CidrValue(address, Number(length));
}

const ipOf = (value: Value | undefined): IpAddress => (value as IpValue).address;
const formatCidr = ({ address, length }: CidrValue): string => `${formatAddress(address)}/${length}`;

const tested = (name: string, id: string, test: (address: IpAddress) => boolean) => ({
  name,
  forms: [methodForm(id, [IP], BOOL, (ip) => test(ipOf(ip)))],
});

const isCanonical = (text: Value | undefined): Value => {
  const ip = readIp(text as string);
  return ip instanceof Failure ? ip : formatAddress(ip.address) === text;
};

function containsIp(cidr: Value | undefined, ip: IpValue | Failure): Value {
  return ip instanceof Failure ? ip : (cidr as CidrValue).contains(ip.address);
}

function containsCidr(cidr: Value | undefined, inner: CidrValue | Failure): Value {
  if (inner instanceof Failure) return inner;
  const outer = cidr as CidrValue;
  return outer.length <= inner.length && outer.contains(inner.address);
}

/** Functions on addresses and networks, of release 1.30. */
export const NETWORK_LIBRARY: Library = [
  {
    name: 'ip',
    forms: [
      globalForm('string_to_ip', [STRING], IP, (text) => readIp(text as string)),
      methodForm('cidr_ip', [CIDR], IP, (cidr) => new IpValue((cidr as CidrValue).address)),
    ],
  },
  { name: 'isIP', forms: [globalForm('is_ip', [STRING], BOOL, (text) => readIp(text as string) instanceof IpValue)] },
  { name: 'ip.isCanonical', forms: [globalForm('ip_is_canonical', [STRING], BOOL, isCanonical)] },
  { name: 'family', forms: [methodForm('ip_family', [IP], INT, (ip) => (ipOf(ip).bits === 32 ? 4n : 6n))] },
  tested('isUnspecified', 'ip_is_unspecified', isUnspecified),
  tested('isLoopback', 'ip_is_loopback', isLoopback),
  tested('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
  tested('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
  tested('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
  { name: 'cidr', forms: [globalForm('string_to_cidr', [STRING], CIDR, (text) => readCidr(text as string))] },
  {
    name: 'isCIDR',
    forms: [globalForm('is_cidr', [STRING], BOOL, (text) => readCidr(text as string) instanceof CidrValue)],
  },
  {
    name: 'containsIP',
    forms: [
      methodForm('cidr_contains_ip_string', [CIDR, STRING], BOOL, (cidr, ip) => containsIp(cidr, readIp(ip as string))),
      methodForm('cidr_contains_ip_ip', [CIDR, IP], BOOL, (cidr, ip) => containsIp(cidr, ip as IpValue)),
    ],
  },
  {
    name: 'containsCIDR',
    forms: [
      methodForm('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (cidr, inner) =>
        containsCidr(cidr, readCidr(inner as string)),
      ),
      methodForm('cidr_contains_cidr', [CIDR, CIDR], BOOL, (cidr, inner) => containsCidr(cidr, inner as CidrValue)),
    ],
  },
  {
    name: 'prefixLength',
    forms: [methodForm('cidr_prefix_length', [CIDR], INT, (cidr) => BigInt((cidr as CidrValue).length))],
  },
  {
    name: 'masked',
    forms: [
      methodForm('cidr_masked', [CIDR], CIDR, (cidr) => {
        const { address, length } = cidr as CidrValue;
        return new CidrValue(masked(address, length), length);
      }),
    ],
  },
  {
    name: 'string',
    forms: [
      globalForm('ip_to_string', [IP], STRING, (ip) => formatAddress(ipOf(ip))),
      globalForm('cidr_to_string', [CIDR], STRING, (cidr) => formatCidr(cidr as CidrValue)),
    ],
  },
];
