import type { Extension } from '@peculiar/x509';
import type { X509Library } from './x509-library.js';

/** Key usages, by the words of certificate requests: bits of RFC 5280 section 4.2.1.3, the first being 1. */
const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: 1,
  'digital signature': 1,
  'content commitment': 2,
  'key encipherment': 4,
  'data encipherment': 8,
  'key agreement': 16,
  'cert sign': 32,
  'crl sign': 64,
  'encipher only': 128,
  'decipher only': 256,
};

/** Extended key usages, likewise. */
const PURPOSES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** Returns the extensions for usages. @throws Error for unknown words */
export function usageExtensions(x509: X509Library, usages: readonly string[]): Extension[] {
  const unknown = usages.filter((usage) => !(Object.hasOwn(KEY_USAGES, usage) || Object.hasOwn(PURPOSES, usage)));
  if (unknown.length > 0)
    throw new Error(`unrecognized usage values: [${unknown.map((each) => JSON.stringify(each)).join(' ')}]`);
  const bits = usages.reduce((sum, usage) => sum | (KEY_USAGES[usage] ?? 0), 0);
  const purposes = [...new Set(usages.map((usage) => PURPOSES[usage]).filter((each) => each !== undefined))];
  return [
    ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, true)]),
    ...(purposes.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(purposes)]),
  ];
}
