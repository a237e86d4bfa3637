import type * as X509 from '@peculiar/x509';

/** The library that makes certificates. */
export type X509Library = typeof X509;

/**
 * Loads the library that makes certificates: 0.7 MB that a server needs when a certificate is issued, and not at each
 * start. It resolves its parts through decorators' metadata, which must come first.
 */
export async function x509Library(): Promise<X509Library> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
