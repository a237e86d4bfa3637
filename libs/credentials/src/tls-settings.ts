import type { SecureContextOptions } from 'node:tls';

/** Minimum versions of TLS that can be chosen, by the names that API servers have for them. */
export const TLS_VERSIONS = { VersionTLS12: 'TLSv1.2', VersionTLS13: 'TLSv1.3' } as const;

/** Cipher suites by their IANA names, with the names of OpenSSL. */
export const CIPHER_SUITES = {
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
} as const;

/** Name of a minimum version of TLS. */
export type TlsVersion = keyof typeof TLS_VERSIONS;

/**
 * Returns the settings of versions and cipher suites for node; without suites node's own apply. Those of TLS 1.3 are
 * all secure and always among them, unless some are named: without any, clients of TLS 1.3 would be refused.
 */
export function tlsSettings(
  least: TlsVersion,
  suites: readonly string[],
): Pick<SecureContextOptions, 'minVersion' | 'ciphers'> {
  const minVersion = TLS_VERSIONS[least];
  if (suites.length === 0) return { minVersion };
  const ofNewest = (suite: string) => /^TLS_(AES|CHACHA20)_/.test(suite);
  const all = suites.some(ofNewest) ? suites : [...Object.keys(CIPHER_SUITES).filter(ofNewest), ...suites];
  return { minVersion, ciphers: all.map((suite) => CIPHER_SUITES[suite as keyof typeof CIPHER_SUITES]).join(':') };
}
