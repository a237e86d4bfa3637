import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@orch/runtime/testing';
import { UNDIVIDED, UnreadableBodyError } from '@orch/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BodyEncryption, type Provider } from '../body-encryption.js';
import { ResourceRules } from '../configuration/rules.js';
import { FakeKms } from '../testing/index.js';
import { KmsClient } from './kms-client.js';
import { KmsProvider } from './kms-provider.js';

const SECRETS = { group: '', resource: 'secrets' };
const KEY = { namespace: 'default', name: 'a' };
const BODY = Buffer.from('{"metadata":{"name":"a"},"data":{"password":"hunter2"}}');

/** Of calls to a service that is away: a busy machine takes this long for none to one that is there. */
const AWAY_MS = 1_000;

let dir: string;
let kms: FakeKms;
let clock: ManualClock;
let open: KmsProvider[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-kms-'));
  kms = new FakeKms(join(dir, 'kms.sock'));
  clock = new ManualClock();
  await kms.start();
});

afterEach(async () => {
  for (const provider of open) provider.close();
  open = [];
  await kms.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** As a process has it. */
function process({ timeout = 5_000 } = {}) {
  const errors: Error[] = [];
  const client = new KmsClient({ name: 'vault', endpoint: kms.endpoint, timeout, observer: {} });
  const provider = new KmsProvider({
    name: 'vault',
    client,
    clock,
    observer: {},
    onError: (error) => errors.push(error),
  });
  open.push(provider);
  const rules = new ResourceRules<Provider>();
  rules.add('secrets', [provider]);
  return { provider, errors, cipher: new BodyEncryption({ rules, bodies: UNDIVIDED, observer: {} }) };
}

/** Whether another look finds it well. */
async function isWell(provider: KmsProvider): Promise<boolean> {
  await clock.advance(10_000);
  return provider.check().then(
    () => true,
    () => false,
  );
}

describe('a key management service', () => {
  it('encrypts the key of a process once, which encrypts all bodies', async () => {
    const { provider, cipher } = process();
    await provider.start();
    const sealed = Array.from({ length: 20 }, () => cipher.seal(SECRETS, KEY, BODY) as Buffer);
    for (const each of sealed) {
      expect(each.toString('latin1')).not.toContain('hunter2');
      expect(cipher.open(SECRETS, KEY, each)).toEqual(BODY);
      expect(cipher.isCurrent(SECRETS, KEY, each)).toBe(true);
    }
    expect(kms.calls).toEqual(['Status', 'Encrypt', 'Decrypt']);
  });

  it('decrypts the key of another process once, however many bodies are read at a time', async () => {
    const writer = process();
    await writer.provider.start();
    const sealed = Array.from({ length: 20 }, () => writer.cipher.seal(SECRETS, KEY, BODY) as Buffer);
    const reader = process();
    await reader.provider.start();
    kms.calls.length = 0;
    const opened = await Promise.all(sealed.map((each) => reader.cipher.open(SECRETS, KEY, each)));
    for (const each of opened) expect(each).toEqual(BODY);
    expect(kms.calls).toEqual(['Decrypt']);
    expect(reader.cipher.open(SECRETS, KEY, sealed[0] as Buffer)).toEqual(BODY);
  });

  it('that lies once is asked again: a key is kept once it has opened something', async () => {
    const writer = process();
    await writer.provider.start();
    const sealed = writer.cipher.seal(SECRETS, KEY, BODY) as Buffer;
    const { cipher } = process();
    kms.lies = true;
    await expect(Promise.resolve(cipher.open(SECRETS, KEY, sealed))).rejects.toThrow(UnreadableBodyError);
    kms.lies = false;
    await expect(Promise.resolve(cipher.open(SECRETS, KEY, sealed))).resolves.toEqual(BODY);
  });

  it('that cannot decrypt what it has encrypted is not well, and gives no key', async () => {
    const { provider, cipher } = process();
    await provider.start();
    const before = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    kms.keyId = 'key-2';
    kms.lies = true;
    await clock.advance(60_000);
    const problem = 'the service decrypts what it has encrypted to something else';
    await expect.poll(() => provider.check().catch(String), { timeout: 30_000 }).toContain(problem);
    const goesOn = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    expect([before, goesOn].map((each) => cipher.isCurrent(SECRETS, KEY, each))).toEqual([true, true]);
    kms.lies = false;
    const isFollowed = async () => {
      await clock.advance(10_000);
      return !cipher.isCurrent(SECRETS, KEY, before);
    };
    await expect.poll(isFollowed, { timeout: 30_000 }).toBe(true);
  });

  it('is followed to another key', async () => {
    const { provider, cipher } = process();
    await provider.start();
    const before = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    kms.keyId = 'key-2';
    await clock.advance(60_000);
    await expect.poll(() => cipher.isCurrent(SECRETS, KEY, before), { timeout: 30_000 }).toBe(false);
    expect(cipher.isCurrent(SECRETS, KEY, cipher.seal(SECRETS, KEY, BODY) as Buffer)).toBe(true);
    expect(cipher.open(SECRETS, KEY, before)).toEqual(BODY);
  });

  it('is asked about once a minute whether it still decrypts the key, while it is well', async () => {
    const { provider } = process();
    await provider.start();
    kms.calls.length = 0;
    for (let second = 0; second < 600; second += 20) {
      await clock.advance(20_000);
      await provider.check();
    }
    expect(kms.calls.filter((method) => method === 'Decrypt').length).toBeGreaterThanOrEqual(8);
    expect(kms.calls.filter((method) => method === 'Decrypt').length).toBeLessThanOrEqual(10);
    expect(kms.calls).not.toContain('Encrypt');
  });

  /** As one that was made anew: it has another key of the same id. */
  const isMadeAnew = () => kms.forget('key-1');

  it.each([
    ['', undefined],
    [', and says only that something is wrong', 2],
  ])('that comes back with another key of the same id gives a new key at once%s', async (_what, code) => {
    const { provider, cipher, errors } = process({ timeout: AWAY_MS });
    await provider.start();
    const before = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    await kms.stop();
    await clock.advance(20_000);
    await expect(provider.check()).rejects.toThrow('failed to perform status section');
    isMadeAnew();
    if (code !== undefined) kms.unknownKeyCode = code;
    await kms.start();
    const isFollowed = async () => {
      await clock.advance(10_000);
      return !cipher.isCurrent(SECRETS, KEY, before);
    };
    await expect.poll(isFollowed, { timeout: 30_000 }).toBe(true);
    await expect.poll(() => isWell(provider), { timeout: 30_000 }).toBe(true);
    const reported = 'the KMS provider vault gave another key, as it does not decrypt the one before any more';
    expect(errors.filter(({ message }) => message.startsWith(reported))).toHaveLength(1);
    const after = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    expect(cipher.isCurrent(SECRETS, KEY, after)).toBe(true);
    expect(await process().cipher.open(SECRETS, KEY, after)).toEqual(BODY);
    expect(cipher.open(SECRETS, KEY, before)).toEqual(BODY);
  });

  it('that has another key of the same id without ever having been seen away is found out within two minutes', async () => {
    const { provider, cipher } = process();
    await provider.start();
    const before = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    isMadeAnew();
    await clock.advance(120_000);
    await expect.poll(() => cipher.isCurrent(SECRETS, KEY, before), { timeout: 30_000 }).toBe(false);
    await provider.check();
    expect(await process().cipher.open(SECRETS, KEY, cipher.seal(SECRETS, KEY, BODY) as Buffer)).toEqual(BODY);
  });

  it('that neither decrypts the key any more nor gives another is not well, and nothing is encrypted with it', async () => {
    const { provider, cipher } = process();
    await provider.start();
    const before = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    kms.lies = true;
    await clock.advance(60_000);
    const problem = 'the service decrypts what it has encrypted to something else';
    await expect.poll(() => provider.check().catch(String), { timeout: 30_000 }).toContain(problem);
    expect(() => cipher.seal(SECRETS, KEY, BODY)).toThrow(
      'the KMS provider "vault" does not decrypt any more what it has encrypted, and has not given another key yet',
    );
    expect(cipher.open(SECRETS, KEY, before)).toEqual(BODY);
    kms.lies = false;
    await clock.advance(10_000);
    await provider.check();
    expect(cipher.isCurrent(SECRETS, KEY, cipher.seal(SECRETS, KEY, BODY) as Buffer)).toBe(true);
    expect(cipher.isCurrent(SECRETS, KEY, before)).toBe(false);
  });

  it.each([
    ['is not answered', 14, false],
    ['says only that something is wrong', 2, true],
  ])('that cannot decrypt the key for now, and %s, keeps it until it expires', async (_what, code, isAnother) => {
    const { provider, cipher } = process();
    await provider.start();
    const before = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    kms.failing.set('Decrypt', code);
    kms.calls.length = 0;
    await clock.advance(60_000);
    await expect.poll(() => provider.check().catch(String), { timeout: 30_000 }).toContain('failed to verify');
    expect(kms.calls.includes('Encrypt')).toBe(isAnother);
    expect(cipher.isCurrent(SECRETS, KEY, cipher.seal(SECRETS, KEY, BODY) as Buffer)).toBe(true);
    await clock.advance(130_000);
    await expect(provider.check()).rejects.toThrow('failed to verify');
    expect(() => cipher.seal(SECRETS, KEY, BODY)).toThrow('has expired');
    kms.failing.clear();
    await clock.advance(10_000);
    await provider.check();
    expect(cipher.seal(SECRETS, KEY, BODY)).toBeInstanceOf(Buffer);
    expect(cipher.isCurrent(SECRETS, KEY, before)).toBe(true);
  });

  it('may be away for a while: what it has given goes on, for writes three minutes', async () => {
    const { provider, cipher } = process({ timeout: AWAY_MS });
    await provider.start();
    const sealed = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    await kms.stop();
    await clock.advance(170_000);
    await expect(provider.check()).rejects.toThrow(
      'failed to perform status section of the healthz check for KMS Provider vault',
    );
    expect(cipher.seal(SECRETS, KEY, BODY)).toBeInstanceOf(Buffer);
    await clock.advance(20_000);
    expect(() => cipher.seal(SECRETS, KEY, BODY)).toThrow(
      /unable to encrypt secrets: the key of the KMS provider "vault" has expired/,
    );
    expect(cipher.open(SECRETS, KEY, sealed)).toEqual(BODY);
    await kms.start();
    await expect.poll(() => isWell(provider), { timeout: 30_000 }).toBe(true);
    expect(cipher.seal(SECRETS, KEY, BODY)).toBeInstanceOf(Buffer);
  });

  it('may come up after the server', async () => {
    await kms.stop();
    const { provider, cipher, errors } = process({ timeout: AWAY_MS });
    await provider.start();
    expect(errors).toHaveLength(1);
    expect(() => cipher.seal(SECRETS, KEY, BODY)).toThrow('the KMS provider "vault" has not given a key yet');
    await kms.start();
    // A busy machine may take longer for a look than this one has.
    const asked = async () => {
      await clock.advance(10_000);
      return kms.calls.includes('Encrypt');
    };
    await expect.poll(asked, { timeout: 30_000 }).toBe(true);
    await expect.poll(() => isWell(provider), { timeout: 30_000 }).toBe(true);
    expect(cipher.seal(SECRETS, KEY, BODY)).toBeInstanceOf(Buffer);
  });

  it.each<[string, Partial<FakeKms>, string]>([
    [
      'sick',
      { healthz: 'no quorum' },
      'kmsv2 Provider vault is not healthy, error: got unexpected healthz status: no quorum',
    ],
    [
      'sick at length',
      { healthz: 'x'.repeat(5000) },
      `is not healthy, error: got unexpected healthz status: ${'x'.repeat(1024)}…`,
    ],
    ['of another version', { version: 'v9' }, 'expected KMSv2 API version v2 or v2beta1, got v9'],
    ['without a key', { keyId: '' }, 'got invalid KMSv2 KeyID "": keyID is empty'],
    ['with too long a key id', { keyId: 'x'.repeat(1025) }, 'keyID is 1025 bytes, which exceeds the max size of 1024'],
  ])('is not well when it is %s', async (_what, said, problem) => {
    Object.assign(kms, said);
    await expect(process().provider.check()).rejects.toThrow(problem);
  });

  it('that has no such key any more is told as it says it', async () => {
    const writer = process();
    await writer.provider.start();
    const sealed = writer.cipher.seal(SECRETS, KEY, BODY) as Buffer;
    kms.forget('key-1');
    const error = await Promise.resolve(process().cipher.open(SECRETS, KEY, sealed)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadableBodyError);
    expect(error).toMatchObject({
      passing: false,
      message:
        'unable to read secrets "default/a": the KMS provider "vault" failed to decrypt its key: rpc error: code = NotFound desc = there is no key key-1',
    });
  });

  // By number: Unknown and Internal, as plugins in Go say of anything; ResourceExhausted, Unavailable, Unauthenticated; and what lasts.
  it.each([
    [2, true],
    [13, true],
    [8, true],
    [14, true],
    [16, true],
    [3, false],
    [5, false],
    [7, false],
    [9, false],
    [12, false],
  ])('that fails to decrypt with code %i: whether that may pass is %s', async (code, passing) => {
    const writer = process();
    await writer.provider.start();
    const sealed = writer.cipher.seal(SECRETS, KEY, BODY) as Buffer;
    kms.failing.set('Decrypt', code);
    const opening = Promise.resolve(process().cipher.open(SECRETS, KEY, sealed));
    await expect(opening).rejects.toMatchObject({ passing });
  });

  it('has made nothing current that is cut off, wherever', async () => {
    const { provider, cipher } = process();
    await provider.start();
    const sealed = cipher.seal(SECRETS, KEY, BODY) as Buffer;
    // Behind its header: what is encrypted, and before that the key with its length.
    const payload = sealed.indexOf('vault') + 'vault'.length;
    const end = payload + 4 + sealed.readUInt32BE(payload);
    for (let at = 1; at < end; at++)
      expect(cipher.isCurrent(SECRETS, KEY, sealed.subarray(0, at)), `${at} bytes`).toBe(false);
    const garbled = Buffer.from(sealed).fill(0xff, payload + 4, end);
    expect(cipher.isCurrent(SECRETS, KEY, garbled)).toBe(false);
    expect(cipher.isCurrent(SECRETS, KEY, sealed)).toBe(true);
  });

  it('that does not answer is a failure that may pass', async () => {
    const writer = process();
    await writer.provider.start();
    const sealed = writer.cipher.seal(SECRETS, KEY, BODY) as Buffer;
    await kms.stop();
    const opening = Promise.resolve(process({ timeout: 50 }).cipher.open(SECRETS, KEY, sealed));
    await expect(opening).rejects.toMatchObject({ passing: true });
  });
});
