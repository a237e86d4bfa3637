import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { combinedTrust } from './authentication-config.js';

const NOW = Date.now();
const YEARS_20 = 20 * 365 * 86_400_000;
let dirs: string[];
let one: Pki;
let two: Pki;
beforeAll(async () => {
  dirs = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'published-'))));
  [one, two] = (await Promise.all(
    dirs.map((certDir) => ensurePki({ certDir, bindAddress: '127.0.0.1', names: { apiServiceName: 'x' } })),
  )) as [Pki, Pki];
});
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true }))));

const trustOf = ({ ca, proxyCa }: Pki, proxyNames: readonly string[] = []) => ({
  authorities: { clients: ca.cert, proxies: proxyCa.cert, proxyNames },
  requestHeaders: {
    requestheaderUsernameHeaders: ['X-Remote-User'],
    requestheaderGroupHeaders: ['X-Remote-Group'],
    requestheaderExtraHeadersPrefix: ['X-Remote-Extra-'],
  },
});

describe('the config map of those who are believed', () => {
  it('says whom to believe and how callers are told', () => {
    expect(combinedTrust({}, trustOf(one, ['front']), NOW)).toEqual({
      'client-ca-file': one.ca.cert,
      'requestheader-client-ca-file': one.proxyCa.cert,
      'requestheader-allowed-names': '["front"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    });
  });

  it('says the names of headers that the options have', () => {
    const requestHeaders = {
      requestheaderUsernameHeaders: ['X-First', 'X-Remote-User'],
      requestheaderGroupHeaders: ['X-Team'],
      requestheaderExtraHeadersPrefix: ['X-More-'],
    };
    expect(combinedTrust({}, { ...trustOf(one), requestHeaders }, NOW)).toMatchObject({
      'requestheader-username-headers': '["X-First","X-Remote-User"]',
      'requestheader-group-headers': '["X-Team"]',
      'requestheader-extra-headers-prefix': '["X-More-"]',
    });
  });

  it('keeps what other servers have added, each once, and whatever else is in it', () => {
    const first = combinedTrust({ more: 'x' }, trustOf(one, ['a']), NOW);
    const both = combinedTrust(first, trustOf(two, ['b']), NOW);
    expect(both).toMatchObject({
      more: 'x',
      'client-ca-file': one.ca.cert + two.ca.cert,
      'requestheader-allowed-names': '["a","b"]',
    });
    expect(combinedTrust(both, trustOf(one, ['a']), NOW)).toEqual(both);
  });

  it('lets go of what has expired, and of what cannot be read', () => {
    const broken = { 'client-ca-file': 'nothing', 'requestheader-allowed-names': '{' };
    expect(combinedTrust(broken, trustOf(one), NOW)).toEqual(combinedTrust({}, trustOf(one), NOW));
    expect(combinedTrust(broken, trustOf(one), NOW + YEARS_20)['client-ca-file']).toBeUndefined();
    const unreadable = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
    const partly = { 'client-ca-file': unreadable + two.ca.cert };
    expect(combinedTrust(partly, trustOf(one), NOW)['client-ca-file']).toBe(two.ca.cert + one.ca.cert);
  });
});
