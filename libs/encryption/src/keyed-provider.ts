import { type KeyCipher, SealBrokenError } from './ciphers/cipher.js';
import type { NamedKey } from './configuration/configuration.js';
import { keyBytes } from './configuration/validation.js';
import type { CipherName, Envelope } from './envelope.js';
import type { BodyProvider } from './provider.js';

/** Provider with keys in the configuration: the first encrypts, each decrypts envelopes with its name. */
export class KeyedProvider implements BodyProvider {
  readonly prefix: string;
  readonly #keys: readonly { readonly name: string; readonly cipher: KeyCipher }[];

  /**
   * @param keys valid ones, at least one
   * @param cipherOf returns the cipher of a key
   */
  constructor(
    private readonly cipher: Exclude<CipherName, 'kms'>,
    keys: readonly NamedKey[],
    cipherOf: (name: string, key: Buffer) => KeyCipher,
  ) {
    this.prefix = `k8s:enc:${cipher}:v1:`;
    this.#keys = keys.map(({ name, secret }) => ({
      name,
      cipher: cipherOf(name, keyBytes(secret) ?? Buffer.alloc(0)),
    }));
  }

  isFor({ cipher, name }: Envelope): boolean {
    return cipher === this.cipher && this.#keys.some((key) => key.name === name);
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    const [first] = this.#keys;
    if (!first) throw new Error(`${this.cipher} has no keys`);
    return first.cipher.seal(identity, plain);
  }

  open(identity: Buffer, envelope: Envelope): Buffer {
    const keys = this.#keys.filter(({ name }) => name === envelope.name);
    for (const { cipher } of keys) {
      try {
        return cipher.open(identity, envelope);
      } catch (error) {
        if (!(error instanceof SealBrokenError)) throw error;
      }
    }
    throw new SealBrokenError(`the key ${JSON.stringify(envelope.name)} of ${this.cipher} does not open it`);
  }

  /**
   * Decrypts to be sure, as the name is not enough: another key may have it as well, here or in another provider, and
   * be removed next.
   */
  isCurrent(envelope: Envelope, identity: Buffer): boolean {
    const [first] = this.#keys;
    return first !== undefined && first.name === envelope.name && opens(first.cipher, identity, envelope);
  }
}

function opens(cipher: KeyCipher, identity: Buffer, envelope: Envelope): boolean {
  try {
    cipher.open(identity, envelope);
    return true;
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    throw error;
  }
}
