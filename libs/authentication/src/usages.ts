// The X.509 library resolves its parts through decorators' metadata, which this import provides; it must come first.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** Key usages, by the words of certificate requests. */
const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: x509.KeyUsageFlags.digitalSignature,
  'digital signature': x509.KeyUsageFlags.digitalSignature,
  'content commitment': x509.KeyUsageFlags.nonRepudiation,
  'key encipherment': x509.KeyUsageFlags.keyEncipherment,
  'key agreement': x509.KeyUsageFlags.keyAgreement,
  'data encipherment': x509.KeyUsageFlags.dataEncipherment,
  'cert sign': x509.KeyUsageFlags.keyCertSign,
  'crl sign': x509.KeyUsageFlags.cRLSign,
  'encipher only': x509.KeyUsageFlags.encipherOnly,
  'decipher only': x509.KeyUsageFlags.decipherOnly,
};

/** Extended key usages, likewise. */
const PURPOSES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': x509.ExtendedKeyUsage.serverAuth,
  'client auth': x509.ExtendedKeyUsage.clientAuth,
  'code signing': x509.ExtendedKeyUsage.codeSigning,
  'email protection': x509.ExtendedKeyUsage.emailProtection,
  's/mime': x509.ExtendedKeyUsage.emailProtection,
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: x509.ExtendedKeyUsage.timeStamping,
  'ocsp signing': x509.ExtendedKeyUsage.ocspSigning,
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** Returns the extensions for usages. @throws Error for unknown words */
export function usageExtensions(usages: readonly string[]): x509.Extension[] {
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
