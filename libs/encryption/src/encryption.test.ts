import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@orch/runtime';
import { UNDIVIDED } from '@orch/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Encryption } from './encryption.js';
import { FakeKms } from './testing/index.js';

const SECRETS = { group: '', resource: 'secrets' };
const KEY = { namespace: 'default', name: 'a' };
const BODY = Buffer.from('{"metadata":{"name":"a"}}');
const POLL = { timeout: 30_000 };

let dir: string;
let opened: Encryption[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-encryption-'));
});

afterEach(() => {
  for (const each of opened) each.close();
  opened = [];
  rmSync(dir, { recursive: true, force: true });
});

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';
const keyed = (...names: readonly string[]) =>
  `${head}resources:\n- resources: [secrets]\n  providers:\n  - aesgcm:\n      keys:\n${names
    .map((name) => `      - {name: ${name}, secret: ${Buffer.alloc(32, name).toString('base64')}}\n`)
    .join('')}`;

async function open(text: string, reloads: boolean, onReload?: (failed: boolean) => void) {
  const file = join(dir, 'encryption.yaml');
  writeFileSync(file, text);
  const encryption = await Encryption.open({
    ...{ file, reloads, logger: silentLogger, bodies: UNDIVIDED, observer: {}, names: { events: 'events.k8s.io' } },
    ...(onReload && { onReload }),
  });
  opened.push(encryption);
  return { encryption, write: (next: string) => writeFileSync(file, next) };
}

describe('the file of an encryption configuration', () => {
  it.each<[string, string, string]>([
    ['is empty', '', 'is empty'],
    ['is no YAML', 'secret: "hunter2', 'it is neither YAML nor JSON'],
    ['is something else', '[hunter2]', 'the file is not an object'],
    ['says nothing', head, 'error while parsing file: resources: Required value: at least one resources is required'],
    [
      'has a bad key',
      keyed('a').replace(/secret: .*\}/, 'secret: hunter2}'),
      'aesgcm.keys[0].secret: Invalid value: "REDACTED"',
    ],
    [
      'hides its own rules',
      `${head}resources:\n- {resources: ['*.'], providers: [{identity: {}}]}\n- {resources: [secrets], providers: [{identity: {}}]}\n`,
      'error while building transformers: resource "secrets" is masked by earlier rule "*."',
    ],
  ])('is refused where it %s, and nothing of it is told', async (_what, text, message) => {
    const error = await open(text, false).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('hunter2');
  });

  it('has to be there', async () => {
    const settings = { reloads: false, logger: silentLogger, bodies: UNDIVIDED, observer: {} };
    const opening = Encryption.open({ ...settings, file: join(dir, 'none'), names: { events: 'events.k8s.io' } });
    await expect(opening).rejects.toThrow(/error opening encryption provider configuration file ".*none"/);
  });

  it('is told of as good again once it says what holds, behind something that cannot be used', async () => {
    const reloads: boolean[] = [];
    const { write } = await open(keyed('a'), true, (failed) => reloads.push(failed));
    write('nonsense');
    await expect.poll(() => reloads.includes(true), POLL).toBe(true);
    write(keyed('a'));
    await expect.poll(() => reloads.at(-1), POLL).toBe(false);
  });

  it('is read again when it changes; what cannot be used changes nothing', async () => {
    const reloads: boolean[] = [];
    const { encryption, write } = await open(keyed('a'), true, (failed) => reloads.push(failed));
    const before = encryption.seal(SECRETS, KEY, BODY) as Buffer;
    write(keyed('b', 'a'));
    await expect.poll(() => reloads, POLL).toEqual([false]);
    expect(encryption.isCurrent(SECRETS, KEY, before)).toBe(false);
    expect(encryption.open(SECRETS, KEY, before)).toEqual(BODY);
    write('nothing');
    await expect.poll(() => reloads.includes(true), POLL).toBe(true);
    expect(encryption.isCurrent(SECRETS, KEY, encryption.seal(SECRETS, KEY, BODY) as Buffer)).toBe(true);
    write(keyed('b'));
    await expect.poll(() => reloads.at(-1), POLL).toBe(false);
    expect(() => encryption.open(SECRETS, KEY, before)).toThrow('with the key "a"');
  });

  it('holds once the key management services in it are well', async () => {
    const kms = new FakeKms(join(dir, 'kms.sock'));
    kms.healthz = 'starting';
    await kms.start();
    const reloads: boolean[] = [];
    const { encryption, write } = await open(keyed('a'), true, (failed) => reloads.push(failed));
    const provider = `{kms: {apiVersion: v2, name: vault, endpoint: '${kms.endpoint}'}}`;
    write(keyed('a').replace('  providers:\n', `  providers:\n  - ${provider}\n`));
    await expect.poll(() => kms.calls.length, POLL).toBeGreaterThan(0);
    expect(encryption.isCurrent(SECRETS, KEY, encryption.seal(SECRETS, KEY, BODY) as Buffer)).toBe(true);
    const before = encryption.seal(SECRETS, KEY, BODY) as Buffer;
    expect(reloads).toEqual([]);
    kms.healthz = 'ok';
    await expect.poll(() => reloads, POLL).toEqual([false]);
    expect(encryption.isCurrent(SECRETS, KEY, before)).toBe(false);
    await encryption.check();
    encryption.close();
    await kms.stop();
  });

  it('lets go as it is closed of services, too, that it waits for, and of those that it has done with', async () => {
    const [held, hung] = ['held', 'hung'].map((name) => new FakeKms(join(dir, `${name}.sock`))) as [FakeKms, FakeKms];
    hung.hanging.add('Status');
    await Promise.all([held.start(), hung.start()]);
    const reloads: boolean[] = [];
    // They are waited for for longer than this test is.
    const by = (kms: FakeKms, name: string) =>
      `${head}resources:\n- resources: [secrets]\n  providers:\n  - kms: {apiVersion: v2, name: ${name}, endpoint: '${kms.endpoint}', timeout: 10m}\n`;
    const { encryption, write } = await open(by(held, 'held'), true, (failed) => reloads.push(failed));
    write(keyed('a'));
    await expect.poll(() => reloads, POLL).toEqual([false]);
    write(by(hung, 'hung'));
    await expect.poll(() => hung.calls, POLL).toEqual(['Status']);
    expect([held.connections, hung.connections]).toEqual([1, 1]);
    encryption.close();
    await expect.poll(() => [held.connections, hung.connections], POLL).toEqual([0, 0]);
    expect(reloads).toEqual([false]);
    await Promise.all([held.stop(), hung.stop()]);
  });
});
