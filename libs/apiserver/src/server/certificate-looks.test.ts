import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { CertificateEnds } from '@orch/credentials';
import { namesOf } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateLooks } from './certificate-looks.js';
import type { CertificateSource } from './certificate-sources.js';

const DAY_SECONDS = 86_400;
const YEAR_MS = 365 * DAY_SECONDS * 1000;

let dir: string;
let pki: Pki;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'certificate-looks-'));
  pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('orch'), now: () => 0 });
});
afterAll(() => rmSync(dir, { recursive: true }));

const endsOf = (ends: CertificateEnds) =>
  Object.fromEntries(ends.series().map(([labels, end]) => [labels.join(), end]));

describe('CertificateEnds', () => {
  it('tells of a file by the certificate that ends first, wherever it stands', () => {
    const [ca, leaf] = [pki.ca.cert, pki.serving.cert];
    const ends = new CertificateEnds();
    const reported = { long: ca, 'long-first': ca + leaf, 'short-first': leaf + ca };
    ends.replace(
      'x',
      Object.entries(reported).map(([certificate, pem]) => ({ certificate, file: 'f', pem })),
    );
    const { 'long,f': long = 0, 'long-first,f': longFirst, 'short-first,f': shortFirst } = endsOf(ends);
    expect(longFirst).toBeLessThan(long);
    expect(shortFirst).toBe(longFirst);
  });

  it('looks at what is there when somebody asks, and no longer tells of what has gone', () => {
    const ends = new CertificateEnds();
    let there = [{ certificate: 'ca-bundle', file: 'apiservices/a', pem: pki.ca.cert }];
    ends.addSource(() => there);
    const { 'ca-bundle,apiservices/a': first } = endsOf(ends);
    expect(first).toBeGreaterThan(0);
    there = [{ certificate: 'ca-bundle', file: 'apiservices/a', pem: pki.serving.cert }];
    expect(endsOf(ends)['ca-bundle,apiservices/a']).toBeLessThan(first ?? 0);
    there = [];
    expect(endsOf(ends)).toEqual({});
  });

  it('reads so many new certificates a time that nobody waits, each text once, and tells of all in the end', () => {
    const ends = new CertificateEnds();
    const bundles = Array.from({ length: 12 }, (_, at) => ({
      certificate: 'ca-bundle',
      file: `apiservices/${at}`,
      pem: `# ${at}\n${pki.ca.cert.repeat(100)}`,
    }));
    const shared = Array.from({ length: 3000 }, (_, at) => ({
      certificate: 'ca-bundle',
      file: `customresourcedefinitions/${at}`,
      pem: pki.ca.cert,
    }));
    ends.addSource(() => shared);
    ends.addSource(() => bundles);
    const reported = Array.from({ length: 12 }, () => Object.keys(endsOf(ends)).length - shared.length);
    expect(reported[0]).toBeGreaterThan(0);
    expect(reported[0]).toBeLessThan(bundles.length);
    expect(reported).toEqual(reported.toSorted((a, b) => a - b));
    expect(reported.at(-1)).toBe(bundles.length);
  });

  it('forgets a root that ended long ago where another one of its file lasts, and no other certificate', async () => {
    const now = 20 * YEAR_MS;
    const at = { certDir: join(dir, 'later'), bindAddress: '127.0.0.1', names: namesOf('orch'), now: () => now };
    const { ca, serving } = await ensurePki(at);
    let passed = 0;
    const ends = new CertificateEnds(() => now + passed);
    const reported = {
      roots: pki.ca.cert + ca.cert,
      lasting: ca.cert,
      ended: pki.ca.cert,
      chain: pki.serving.cert + ca.cert,
      'ended-leaf': pki.serving.cert,
      'two-ended': pki.ca.cert + pki.ca.cert,
      'last-leaf': serving.cert + ca.cert + pki.ca.cert,
    };
    ends.replace(
      'x',
      Object.entries(reported).map(([certificate, pem]) => ({ certificate, file: 'f', pem })),
    );
    const found = endsOf(ends);
    expect(found['lasting,f']).toBeGreaterThan(now / 1000);
    expect(found['roots,f']).toBe(found['lasting,f']);
    expect(found['chain,f']).toBe(found['ended-leaf,f']);
    expect(found['two-ended,f']).toBe(found['ended,f']);
    expect(found['last-leaf,f']).toBe(found['ended,f']);
    // What has ended of late counts: its end may have been missed.
    const end = found['ended,f'] ?? 0;
    passed = (end + 14 * DAY_SECONDS) * 1000 - now - 1000;
    expect(endsOf(ends)['roots,f']).toBe(end);
    passed += 1000;
    expect(endsOf(ends)['roots,f']).toBe(found['lasting,f']);
  });

  it('tells of the certificates of a file that can be read, though another cannot', () => {
    const ends = new CertificateEnds();
    const broken = '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n';
    ends.replace('x', [
      { certificate: 'a', file: 'f', pem: pki.ca.cert },
      { certificate: 'b', file: 'f', pem: broken + pki.ca.cert },
      { certificate: 'c', file: 'f', pem: broken },
    ]);
    const { 'a,f': end, ...others } = endsOf(ends);
    expect(others).toEqual({ 'b,f': end });
  });

  it('tells once of a file that is named twice, replaces what a source told, and leaves out what holds none', () => {
    const ends = new CertificateEnds();
    const [early, late] = [
      { certificate: 'a', file: 'f', pem: pki.serving.cert },
      { certificate: 'a', file: 'f', pem: pki.ca.cert },
    ];
    ends.replace('x', [late, early, { certificate: 'b', file: 'g', pem: 'nothing' }]);
    ends.replace('y', [{ certificate: 'c', file: 'h', pem: pki.ca.cert }]);
    expect(Object.keys(endsOf(ends))).toEqual(['a,f', 'c,h']);
    const both = endsOf(ends)['a,f'] ?? 0;
    ends.replace('x', [late]);
    expect(endsOf(ends)['a,f']).toBeGreaterThan(both);
    ends.replace('x', []);
    expect(Object.keys(endsOf(ends))).toEqual(['c,h']);
  });
});

describe('CertificateLooks', () => {
  let looks: CertificateLooks | undefined;
  let clock: ManualClock;
  /** What files hold, by name; where there are none they cannot be read. */
  let contents: Readonly<Record<string, string>> | undefined;
  beforeEach(() => {
    clock = new ManualClock();
    contents = { followed: pki.ca.cert, fixed: pki.ca.cert };
  });
  afterEach(() => looks?.close());

  const source: CertificateSource = {
    name: 'x',
    async read() {
      if (!contents) throw new Error('not there');
      return Object.entries(contents).map(([name, pem]) => ({
        ...{ certificate: name, file: 'f', pem },
        isFollowed: name === 'followed',
      }));
    },
  };
  const broken: CertificateSource = { name: 'broken', read: () => Promise.reject(new Error('not there')) };
  const open = async (): Promise<CertificateEnds> => {
    const ends = new CertificateEnds();
    looks = await CertificateLooks.open({ sources: [broken, source], ends, clock });
    return ends;
  };

  it('follows what its users read again, and keeps what they read once', async () => {
    const ends = await open();
    const { 'followed,f': before = 0, 'fixed,f': fixed } = endsOf(ends);
    expect(fixed).toBe(before);
    contents = { followed: pki.serving.cert, fixed: pki.serving.cert };
    await clock.advance(60_000);
    expect(endsOf(ends)['followed,f']).toBeLessThan(before);
    expect(endsOf(ends)['fixed,f']).toBe(before);
    contents = {};
    await clock.advance(60_000);
    expect(Object.keys(endsOf(ends))).toEqual(['fixed,f']);
  });

  it('keeps what it knows while files cannot be read', async () => {
    const ends = await open();
    const before = ends.series();
    contents = undefined;
    await clock.advance(60_000);
    expect(ends.series()).toEqual(before);
    contents = { followed: pki.serving.cert };
    await clock.advance(60_000);
    expect(ends.series()).not.toEqual(before);
  });

  it('watches nothing where nothing is followed', async () => {
    contents = { fixed: pki.ca.cert };
    await open();
    expect(clock.pending).toBe(0);
  });
});
