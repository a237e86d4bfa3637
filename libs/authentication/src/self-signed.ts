import { hostname } from 'node:os';
import { createAuthority, generateKey, type Issuer, issueCertificate } from './certificates.js';

const DAYS = 365;

/**
 * Makes a serving certificate for this machine that nobody vouches for: it is signed by an authority of its own, whose
 * key is forgotten.
 * @param address that is listened on
 * @param now milliseconds since 1970
 * @param name of the machine
 */
export async function selfSignedPair(
  address: string,
  now: number,
  name: string = hostname().toLowerCase(),
): Promise<Issuer> {
  const authorityKey = await generateKey();
  const subject = { commonName: `${name}-ca` };
  const authority = { cert: await createAuthority(authorityKey, subject, DAYS, now), key: authorityKey };
  const key = await generateKey();
  const hosts = [...new Set([name, 'localhost', '127.0.0.1', ...(isAny(address) ? [] : [address])])];
  const request = { key, subject: { commonName: name }, usage: 'server', hosts, days: DAYS } as const;
  return { cert: `${await issueCertificate(authority, request, now)}${authority.cert}`, key };
}

const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::';
