import type { X509Certificate } from 'node:crypto';
import { type CertificateCase, certificateCases } from '@orch/tls/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authorities, authorityOf, certificatesOf } from './trust.js';

let cases: ReadonlyMap<string, CertificateCase>;
beforeAll(async () => {
  cases = new Map((await certificateCases()).map((each) => [each.name, each]));
});

const named = (...certificates: readonly (X509Certificate | undefined)[]): Authorities =>
  new Map(certificates.flatMap((each) => (each ? [[each.fingerprint256, each] as const] : [])));

function readCase(name: string) {
  const { bundle, chain } = cases.get(name) as CertificateCase;
  return { bundle: certificatesOf(bundle), chain: certificatesOf(chain) };
}

describe('the authority of a chain', () => {
  it('is the one that has signed, not one of its name that the caller sends', () => {
    const { bundle, chain } = readCase('two authorities of one name without key identifiers, the second has signed');
    const [first, second] = bundle;
    const trust = { clients: named(second), proxies: named(first) };
    expect(authorityOf(trust, [...chain, first])).toBe(second?.fingerprint256);
    expect(authorityOf({ clients: named(), proxies: named(first) }, [...chain, first])).toBeUndefined();
  });

  it('is the nearest: callers of an intermediate are no front proxies of its root', () => {
    const { chain } = readCase('the intermediate alone is trusted, and sent with its root');
    const [, between, root] = chain;
    expect(authorityOf({ clients: named(between), proxies: named(root) }, chain)).toBe(between?.fingerprint256);
    expect(authorityOf({ clients: named(root), proxies: named() }, chain)).toBe(root?.fingerprint256);
  });

  it('is found whatever else was sent, and in whatever order', () => {
    const { chain } = readCase('the intermediate alone is trusted, and sent with its root');
    const [leaf, between, root] = chain;
    const { chain: others } = readCase('the root is trusted, the intermediate is sent');
    const sent = [leaf, ...others, root, between].filter((each) => each !== undefined);
    expect(authorityOf({ clients: named(root), proxies: named() }, sent)).toBe(root?.fingerprint256);
  });

  it('is not reached by way of a certificate that is no authority, or whose time is over', () => {
    const { chain } = readCase('the intermediate alone is trusted, and sent with its root');
    const [leaf, between, root] = chain;
    const trust = { clients: named(root), proxies: named() };
    const like = (changed: object) =>
      Object.defineProperties(certificatesOf(String(between))[0], Object.getOwnPropertyDescriptors(changed));
    expect(authorityOf(trust, [leaf, like({})])).toBe(root?.fingerprint256);
    for (const changed of [
      { ca: false },
      { validTo: 'Jan 1 00:00:00 2001 GMT' },
      { validFrom: 'Jan 1 00:00:00 2201 GMT' },
    ])
      expect(authorityOf(trust, [leaf, like(changed)])).toBeUndefined();
  });

  it('is the certificate itself where that is trusted', () => {
    const { chain } = readCase('the certificate itself is trusted, its root is not');
    expect(authorityOf({ clients: named(chain[0]), proxies: named() }, chain)).toBe(chain[0].fingerprint256);
  });
});
