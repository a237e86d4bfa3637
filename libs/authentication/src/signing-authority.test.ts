import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, generateKey } from './certificates.js';
import { SigningAuthority, type ToSign } from './signing-authority.js';

const NOW = Date.parse('2030-06-01T12:00:00.700Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'signing-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const KEYS = {
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: () => generateKeyPairSync('ed25519'),
};

const spki = (kind: keyof typeof KEYS): Buffer => KEYS[kind]().publicKey.export({ type: 'spki', format: 'der' });

async function ownAuthority(days = 3650) {
  const key = await generateKey();
  return { key, cert: await createAuthority(key, { commonName: 'own' }, days, NOW) };
}

/** Made with openssl, as people make them: a name of several parts in more than one kind of string. */
function madeAuthority(kind: keyof typeof KEYS, ...args: readonly string[]) {
  const file = join(dir, `${kind}.key`);
  writeFileSync(file, KEYS[kind]().privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const subject = ['-subj', '/C=DE/O=Größe/CN=made'];
  const made = ['req', '-x509', '-new', '-utf8', '-key', file, '-days', '7300', ...subject, ...args];
  const cert = execFileSync('openssl', made, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { cert, key: readFileSync(file, 'utf8') };
}

const names = (...values: { type: 'dns' | 'ip' | 'email' | 'url'; value: string }[]) =>
  new Uint8Array(new x509.SubjectAlternativeNameExtension(values).value);

const asked = (changed: Partial<ToSign> = {}): ToSign => ({
  subject: new Uint8Array(new x509.Name([{ O: ['dev'] }, { CN: ['jane'] }]).toArrayBuffer()),
  alternativeNames: undefined,
  publicKey: spki('P-256'),
  usages: ['digital signature', 'client auth'],
  lifetime: DAY,
  ...changed,
});

const signed = async (changed: Partial<ToSign> = {}, now = NOW) =>
  new X509Certificate(await (await SigningAuthority.of(await ownAuthority())).sign(asked(changed), now));

describe('a certificate', () => {
  it.each(['rsa', 'P-256', 'P-384', 'P-521'] as const)('is signed by an authority with a key of %s', async (kind) => {
    const authority = madeAuthority(kind, '-addext', 'keyUsage=critical,keyCertSign');
    const pem = await (await SigningAuthority.of(authority)).sign(asked(), NOW);
    const [certificate, above] = [new X509Certificate(pem), new X509Certificate(authority.cert)];
    expect(certificate.checkIssued(above)).toBe(true);
    expect(certificate.verify(above.publicKey)).toBe(true);
    writeFileSync(join(dir, 'ca.crt'), authority.cert);
    const args = ['verify', '-CAfile', join(dir, 'ca.crt'), '-purpose', 'sslclient', '-x509_strict'];
    expect(
      execFileSync('openssl', [...args, '-attime', String((NOW / 1000) | 0)], { input: pem, encoding: 'utf8' }),
    ).toContain('OK');
  });

  it.each(['rsa', 'P-256', 'P-384', 'ed25519'] as const)('speaks of a key of %s', async (kind) => {
    const publicKey = spki(kind);
    const certificate = await signed({ publicKey });
    const wanted = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    expect(certificate.publicKey.equals(wanted)).toBe(true);
  });

  it('has the names that are asked for, and can sign no others', async () => {
    const certificate = await signed({
      alternativeNames: names(
        { type: 'dns', value: 'a.example' },
        { type: 'ip', value: '10.0.0.1' },
        { type: 'ip', value: 'fd00::1' },
      ),
    });
    expect(certificate.subject).toBe('O=dev\nCN=jane');
    expect(certificate.subjectAltName).toBe('DNS:a.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1');
    expect(certificate.ca).toBe(false);
    expect(certificate.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
  });

  it('needs the other names understood where there is no subject', async () => {
    const bare = asked({ subject: Buffer.from([0x30, 0]), alternativeNames: names({ type: 'dns', value: 'a' }) });
    const pem = await (await SigningAuthority.of(await ownAuthority())).sign(bare, NOW);
    const parsed = new x509.X509Certificate(pem);
    expect(parsed.getExtension(x509.SubjectAlternativeNameExtension)?.critical).toBe(true);
    const named = new x509.X509Certificate((await signed({ alternativeNames: bare.alternativeNames })).toString());
    expect(named.getExtension(x509.SubjectAlternativeNameExtension)?.critical).toBe(false);
  });

  it('may be used for what is asked', async () => {
    const parsed = async (...usages: string[]) => {
      const certificate = new x509.X509Certificate((await signed({ usages })).toString());
      const key = certificate.getExtension(x509.KeyUsagesExtension);
      return [key?.usages, key?.critical, certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages];
    };
    const { digitalSignature, keyEncipherment, decipherOnly } = x509.KeyUsageFlags;
    const { clientAuth, serverAuth, emailProtection } = x509.ExtendedKeyUsage;
    expect(await parsed('client auth', 'key encipherment', 'signing', 'digital signature')).toEqual([
      digitalSignature | keyEncipherment,
      true,
      [clientAuth],
    ]);
    expect(await parsed('server auth')).toEqual([undefined, undefined, [serverAuth]]);
    expect(await parsed('decipher only')).toEqual([decipherOnly, true, undefined]);
    expect(await parsed('s/mime', 'email protection', 'any')).toEqual([
      undefined,
      undefined,
      [emailProtection, '2.5.29.37.0'],
    ]);
    await expect(signed({ usages: ['fun', 'constructor'] })).rejects.toThrow(
      'unrecognized usage values: ["fun" "constructor"]',
    );
  });
});

describe('the time of a certificate', () => {
  const times = async (lifetime: number, days = 3650, now = NOW) => {
    const authority = await SigningAuthority.of(await ownAuthority(days));
    const { validFrom, validTo } = new X509Certificate(await authority.sign(asked({ lifetime }), now));
    return [new Date(validFrom).toISOString(), new Date(validTo).toISOString()];
  };

  it('begins five minutes ago, and ends as much earlier where that is little of it', async () => {
    expect(await times(DAY)).toEqual(['2030-06-01T11:55:00.000Z', '2030-06-02T11:55:00.000Z']);
    expect(await times(8 * HOUR)).toEqual(['2030-06-01T11:55:00.000Z', '2030-06-01T19:55:00.000Z']);
    expect(await times(8 * HOUR - 1000)).toEqual(['2030-06-01T11:55:00.000Z', '2030-06-01T19:59:59.000Z']);
    expect(await times(600_000)).toEqual(['2030-06-01T11:55:00.000Z', '2030-06-01T12:10:00.000Z']);
  });

  it('never ends after the authority, and may end after 2049', async () => {
    expect((await times(30 * DAY, 2))[1]).toBe('2030-06-03T12:00:00.000Z');
    expect((await times(9000 * DAY, 10_000))[1]).toBe('2055-01-21T11:55:00.000Z');
  });

  it('is not given by an authority that has ended', async () => {
    await expect(times(DAY, 1, NOW + DAY + 1000)).rejects.toThrow(
      'refusing to sign a certificate that expired in the past: NotAfter=2030-06-02T12:00:00.000Z',
    );
  });
});

describe('an authority', () => {
  it.each<[string, () => { cert: string; key: string } | Promise<{ cert: string; key: string }>]>([
    ['must be RSA or ECDSA', () => madeAuthority('ed25519')],
    [
      'not that of a certificate authority',
      () => madeAuthority('P-256', '-addext', 'basicConstraints=critical,CA:false'),
    ],
    [
      'expected 1 certificate, found 2',
      async () => {
        const one = await ownAuthority();
        return { ...one, cert: one.cert + one.cert };
      },
    ],
    ['does not match its key', async () => ({ ...(await ownAuthority()), key: await generateKey() })],
    ['it contains no certificate', async () => ({ ...(await ownAuthority()), cert: '' })],
  ])('is refused: %s', async (why, make) => {
    await expect(SigningAuthority.of(await make())).rejects.toThrow(why);
  });
});
