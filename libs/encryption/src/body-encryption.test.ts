import { type BodyCodec, isSealed, UnreadableBodyError } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { BodyEncryption, IDENTITY, type Provider } from './body-encryption.js';
import { AesCbcCipher } from './ciphers/aes-cbc.js';
import { AesGcmCipher } from './ciphers/aes-gcm.js';
import { loadSodium, SecretboxCipher } from './ciphers/secretbox.js';
import type { NamedKey } from './configuration/configuration.js';
import { ResourceRules } from './configuration/rules.js';
import { KeyedProvider } from './keyed-provider.js';

/** Takes the first three bytes for the owners. */
const codec: BodyCodec = {
  split: (body) =>
    body.length > 10 ? { body: body.subarray(3), owners: body.subarray(0, 3) } : { body, owners: null },
  join: (body, owners) => Buffer.concat([owners, body]),
};

const SECRETS = { group: '', resource: 'secrets' };
const KEY = { namespace: 'default', name: 'a' };
const BODY = Buffer.from('{"metadata":{"name":"a"},"data":{"password":"hunter2"}}');
const keyOf = (name: string, bytes: number = 32) => ({ name, secret: Buffer.alloc(bytes, name).toString('base64') });

function encryption(...providers: readonly Provider[]): BodyEncryption {
  const rules = new ResourceRules<Provider>();
  rules.add('secrets', providers);
  return new BodyEncryption({ rules, bodies: codec, observer: {} });
}

const sodium = await loadSodium();
const CIPHERS = {
  aescbc: (name: string, key: Buffer) => new AesCbcCipher(name, key),
  aesgcm: (name: string, key: Buffer) => new AesGcmCipher(name, key),
  secretbox: (name: string, key: Buffer) => new SecretboxCipher(name, key, sodium),
} as const;
const keyed = (cipher: keyof typeof CIPHERS, keys: readonly NamedKey[]) =>
  new KeyedProvider(cipher, keys, CIPHERS[cipher]);

const sealedBy = (cipher: BodyEncryption, key = KEY): Buffer => cipher.seal(SECRETS, key, BODY) as Buffer;

describe.each(['aescbc', 'aesgcm', 'secretbox'] as const)('%s', (cipher) => {
  const provider = (...names: readonly string[]) =>
    keyed(
      cipher,
      names.map((name) => keyOf(name)),
    );
  const made = encryption(provider('key1'));

  it('gives back what was encrypted, of which nothing shows', () => {
    const sealed = sealedBy(made);
    expect(isSealed(sealed)).toBe(true);
    expect(sealed.toString('latin1')).not.toMatch(/hunter2|metadata|default/);
    expect(sealedBy(made).equals(sealed)).toBe(false);
    expect(made.open(SECRETS, KEY, sealed)).toEqual(BODY);
    // Another process has the same key.
    expect(encryption(provider('key1')).open(SECRETS, KEY, sealed)).toEqual(BODY);
  });

  it('that was encrypted with another key of the same name is to be encrypted anew', () => {
    const secret = (letter: string) => ({ name: 'key1', secret: Buffer.alloc(32, letter).toString('base64') });
    const sealed = sealedBy(encryption(keyed(cipher, [secret('old')])));
    const both = [secret('new'), secret('old')];
    for (const rotating of [
      encryption(keyed(cipher, both)),
      encryption(...both.map((key) => keyed(cipher, [key]))),
      encryption(keyed(cipher, [secret('new')])),
    ])
      expect([rotating.isCurrent(SECRETS, KEY, sealed), rotating.isCurrent(SECRETS, KEY, sealedBy(rotating))]).toEqual([
        false,
        true,
      ]);
  });

  it.each([
    ['another name', SECRETS, { namespace: 'default', name: 'b' }],
    ['another namespace', SECRETS, { namespace: 'other', name: 'a' }],
    ['a shifted name', SECRETS, { namespace: 'defaul', name: 'ta' }],
  ])('does not open under %s', (_what, type, key) => {
    expect(() => made.open(type, key, sealedBy(made))).toThrow(UnreadableBodyError);
  });

  it('does not open as another type', () => {
    const rules = new ResourceRules<Provider>();
    for (const resource of ['secrets', 'configmaps']) rules.add(resource, [provider('key1')]);
    const both = new BodyEncryption({ rules, bodies: codec, observer: {} });
    expect(() => both.open({ group: '', resource: 'configmaps' }, KEY, sealedBy(both))).toThrow(UnreadableBodyError);
  });

  it('does not open when any byte is another', () => {
    const sealed = sealedBy(made);
    for (let at = 1; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8((sealed[at] ?? 0) ^ 0x10, at);
      expect(() => made.open(SECRETS, KEY, changed), `byte ${at}`).toThrow(UnreadableBodyError);
      expect(() => made.open(SECRETS, KEY, sealed.subarray(0, at)), `${at} bytes`).toThrow(UnreadableBodyError);
    }
  });

  it('opens with any key that is configured, and tells which is the first', () => {
    const sealed = sealedBy(made);
    const rotated = encryption(provider('key2', 'key1'));
    expect(rotated.open(SECRETS, KEY, sealed)).toEqual(BODY);
    expect(rotated.isCurrent(SECRETS, KEY, sealed)).toBe(false);
    expect(rotated.isCurrent(SECRETS, KEY, sealedBy(rotated))).toBe(true);
    const apart = encryption(provider('key2'), provider('key1'));
    expect(apart.open(SECRETS, KEY, sealed)).toEqual(BODY);
  });

  it('tries all keys of a name', async () => {
    const another = keyed(cipher, [{ name: 'key1', secret: keyOf('x').secret }]);
    await expect(encryption(another, provider('key1')).open(SECRETS, KEY, sealedBy(made))).resolves.toEqual(BODY);
    const both = encryption(another, keyed(cipher, [{ name: 'key1', secret: keyOf('y').secret }]));
    await expect(both.open(SECRETS, KEY, sealedBy(made))).rejects.toThrow(
      `unable to read secrets "default/a": the key "key1" of ${cipher} does not open it`,
    );
  });

  it('names the key that is missing, and nothing of those there are', () => {
    const other = encryption(provider('key2'));
    const why = `it is encrypted by ${cipher} with the key "key1", which is not among the providers of its type`;
    expect(() => other.open(SECRETS, KEY, sealedBy(made))).toThrow(
      new UnreadableBodyError({ type: SECRETS, key: KEY, why }, false),
    );
  });
});

describe('aesgcm and aescbc', () => {
  it.each([16, 24, 32])('take keys of %i bytes', (bytes) => {
    for (const cipher of ['aescbc', 'aesgcm'] as const) {
      const made = encryption(keyed(cipher, [keyOf('key1', bytes)]));
      expect(made.open(SECRETS, KEY, sealedBy(made))).toEqual(BODY);
    }
  });
});

it('opens what was made with another implementation of secretbox', () => {
  const sealed = Buffer.from('AAEDAAFrHPfsw8MGpnG25Yf2xIwBQAXIBNfpL832ahpRKin9216jbO6ksUnzi9G8ECr2mms=', 'base64');
  const made = encryption(keyed('secretbox', [{ name: 'k', secret: Buffer.alloc(32, 's').toString('base64') }]));
  expect(String(made.open(SECRETS, { namespace: 'ns', name: 'a' }, sealed))).toBe('{"a":1}');
});

describe('identity', () => {
  const provider = keyed('aesgcm', [keyOf('key1')]);

  it('lets through what was never encrypted, where it is among the providers', () => {
    expect(encryption(provider, IDENTITY).open(SECRETS, KEY, BODY)).toBe(BODY);
    expect(() => encryption(provider).open(SECRETS, KEY, BODY)).toThrow(
      'unable to read secrets "default/a": it is not encrypted, and identity is not among the providers of its type',
    );
  });

  it('writes bodies as they are, where it is the first', () => {
    const made = encryption(IDENTITY, provider);
    expect(made.seal(SECRETS, KEY, BODY)).toBeUndefined();
    expect(made.open(SECRETS, KEY, sealedBy(encryption(provider)))).toEqual(BODY);
    expect(made.isCurrent(SECRETS, KEY, sealedBy(encryption(provider)))).toBe(false);
    expect(made.isCurrent(SECRETS, KEY, BODY)).toBe(true);
  });

  it('is what all other types have, which are not encrypted', () => {
    const pods = { group: '', resource: 'pods' };
    const made = encryption(provider);
    expect(made.seal(pods, KEY, BODY)).toBeUndefined();
    expect(made.open(pods, KEY, BODY)).toBe(BODY);
    expect(() => made.open(pods, KEY, sealedBy(made))).toThrow('which is not configured for its type');
  });
});

it('packs bodies without owners, whatever they begin with', () => {
  const made = encryption(keyed('aesgcm', [keyOf('key1')]));
  for (const text of ['', '{}', '\u0001{}', '\u0001\u0000\u0000\u0000\u0000']) {
    const body = Buffer.from(text);
    expect(made.open(SECRETS, KEY, made.seal(SECRETS, KEY, body) as Buffer)).toEqual(body);
  }
});
