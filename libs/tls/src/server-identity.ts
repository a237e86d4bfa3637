import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Compares a host with the alternative names of its certificate (RFC 6125). Node falls back to the common name where
 * there are none; here, as in Go, a common name is never the name of a host.
 * @returns why the certificate is not the host's; undefined where it is
 */
export const requireNamedHost = (host: string, certificate: PeerCertificate): Error | undefined =>
  checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
