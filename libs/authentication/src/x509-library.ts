import type { x509 } from './x509-parts.js';

/** The library that makes certificates. */
export type X509Library = typeof x509;

/**
 * Loads the library that makes certificates: 0.7 MB that a server needs when a certificate is issued, and not at each
 * start.
 */
export const x509Library = async (): Promise<X509Library> => (await import('./x509-parts.js')).x509;
