import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '@orch/tls/testing';
import { describe, expect, it } from 'vitest';
import { certificateFilesIn, parseDatabaseUrl } from './connection-url.js';

describe('parseDatabaseUrl', () => {
  it('reads hosts, ports, credentials and database', () => {
    expect(parseDatabaseUrl('postgres://me:p%40ss@a:1,b,[::1]:3/db?target_session_attrs=read-write')).toEqual({
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 5432 },
        { host: '::1', port: 3 },
      ],
      database: 'db',
      user: 'me',
      password: 'p@ss',
      tls: undefined,
    });
  });

  it('reads unix sockets either way', () => {
    for (const url of ['postgresql://u@/d?host=/run/pg&port=6000', 'postgresql://u@%2Frun%2Fpg:6000/d']) {
      expect(parseDatabaseUrl(url).hosts).toEqual([{ host: '/run/pg', port: 6000 }]);
    }
  });

  it('maps sslmode as libpq does', () => {
    expect(parseDatabaseUrl('postgres://h/d?sslmode=require').tls).toMatchObject({ rejectUnauthorized: false });
    const full = parseDatabaseUrl('postgres://h/d?sslmode=verify-full').tls;
    expect(full).toMatchObject({ rejectUnauthorized: true });
    expect(full?.checkServerIdentity).toBeUndefined();
  });

  it('trusts each certificate of sslrootcert as an anchor, and nobody where there is none', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'sslrootcert-'));
    try {
      const [bundle, none] = [join(dir, 'bundle.pem'), join(dir, 'none.pem')];
      await writeFile(bundle, (await selfSigned()).cert);
      await writeFile(none, '');
      const trusted = parseDatabaseUrl(`postgres://h/d?sslmode=verify-full&sslrootcert=${bundle}`).tls;
      expect(trusted).toMatchObject({ rejectUnauthorized: true, allowPartialTrustChain: true });
      const nobody = () => parseDatabaseUrl(`postgres://h/d?sslmode=verify-full&sslrootcert=${none}`);
      expect(nobody).toThrow('no certificate');
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it.each(['mysql://h/d', 'postgres://h:99999/d', 'postgres://h/d?sslmode=prefer', 'postgres://h/d?nonsense=1'])(
    'refuses %s',
    (url) => {
      expect(() => parseDatabaseUrl(url)).toThrow(TypeError);
    },
  );

  it('never tells the password', () => {
    expect(() => parseDatabaseUrl('postgres://u:secret@h:bad/d')).toThrow(expect.not.stringContaining('secret'));
  });
});

describe('certificateFilesIn', () => {
  it.each([
    ['sslmode=verify-full&sslrootcert=/ca.pem&sslcert=%2Ftls.crt&sslkey=/tls.key', ['/ca.pem', '/tls.crt']],
    ['sslmode=require&sslcert=/tls.crt', ['/tls.crt']],
    ['sslmode=require', []],
    ['sslmode=disable&sslrootcert=/ca.pem', []],
    ['sslrootcert=/ca.pem', []],
  ])('%s', (query, files) => expect(certificateFilesIn(`postgres://u@h/d?${query}`)).toEqual(files));

  it('knows of none in what is no URL', () => expect(certificateFilesIn('sslmode=require&sslcert=/x')).toEqual([]));
});
