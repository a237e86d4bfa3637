import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, systemClock } from '@orch/runtime/clock';
import { LRUCache } from 'lru-cache';
import { SealBrokenError } from '../ciphers/cipher.js';
import { GCM_KEY_BYTES, GcmKey } from '../ciphers/gcm.js';
import { type Envelope, headerOf } from '../envelope.js';
import type { EncryptionObserver } from '../observer.js';
import type { BodyProvider } from '../provider.js';
import type { KmsClient } from './kms-client.js';
import { decodeEncryptResponse, encodeWrappedKey, type StatusResponse, type WrappedKey } from './messages.js';

/** Milliseconds, all as the reference has them: between looks at the service, where it was well and where it was not. */
const LOOK_MS = 60_000;
const RETRY_MS = 10_000;
/** For which an answer of a look holds. */
const WELL_MS = 20_000;
const UNWELL_MS = 3_000;
/** For which a key goes on to encrypt after the last time that the service was well. Reading knows no such end. */
const WRITE_MS = 180_000;

/** Releases of the reference name the same calls so. */
const VERSIONS = ['v2', 'v2beta1'];
/** Bytes. */
const LONGEST_KEY_ID = 1024;
const LONGEST_WRAPPED = 1024;
const LONGEST_ANNOTATIONS = 32 << 10;
/** As names of annotations have to be. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Keys that are kept decrypted: about one for each start of a server whose bodies are read. */
const KEPT = 10_000;

/** The key that bodies are encrypted with now. */
interface OwnKey {
  readonly key: GcmKey;
  readonly keyId: string;
  /** The header, and the key as the service has encrypted it. */
  readonly preamble: Buffer;
  /** Monotonic ms. */
  readonly expires: number;
}

/** A key of some process, decrypted. */
interface KnownKey {
  readonly key: GcmKey;
  readonly keyId: string;
}

export interface KmsProviderOptions {
  /** As it is configured. */
  readonly name: string;
  readonly client: Pick<KmsClient, 'status' | 'encrypt' | 'decrypt' | 'close'>;
  readonly observer: EncryptionObserver;
  /** Hears of looks that found the service unwell. */
  readonly onError: (error: Error) => void;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Bodies encrypted with a key that this process makes for itself and a key management service has encrypted: so the service is asked once
 * for each start, and once whenever it turns to another key. The key stands with each body as the service has encrypted it, and is
 * decrypted once by each process that reads such bodies.
 * Payload: length of the wrapped key, the wrapped key, nonce, what is encrypted, tag.
 */
export class KmsProvider implements BodyProvider {
  readonly prefix: string;
  readonly #clock: Clock;
  readonly #header: Buffer;
  readonly #keys = new LRUCache<string, KnownKey>({ max: KEPT });
  readonly #asked = new Map<string, Promise<KnownKey>>();
  #own: OwnKey | undefined;
  #looked: { readonly until: number; readonly problem: Error | undefined } | undefined;
  #looking: Promise<void> | undefined;
  #cancelLook: (() => void) | undefined;
  #closed = false;

  constructor(private readonly options: KmsProviderOptions) {
    this.prefix = `k8s:enc:kms:v2:${options.name}:`;
    this.#clock = options.clock ?? systemClock;
    this.#header = headerOf('kms', options.name);
  }

  /** Looks at the service, and goes on to. Never rejects: a service may come up after the server. */
  async start(): Promise<void> {
    let wait = LOOK_MS;
    try {
      await this.check();
    } catch (error) {
      wait = RETRY_MS;
      if (!this.#closed) this.options.onError(error as Error);
    }
    if (!this.#closed) this.#cancelLook = this.#clock.after(wait, () => void this.start());
  }

  /** Looks at nothing any more, and ends the connection. */
  close(): void {
    this.#closed = true;
    this.#cancelLook?.();
    this.options.client.close();
  }

  /** Whether the service is well, as it was a moment ago. @throws Error that says what is wrong */
  async check(): Promise<void> {
    if (this.#looked && this.#clock.now() < this.#looked.until) {
      if (this.#looked.problem) throw this.#looked.problem;
      return;
    }
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    let problem: Error | undefined;
    try {
      await this.#judge(await this.#status());
    } catch (error) {
      problem = error as Error;
    }
    this.#looked = { until: this.#clock.now() + (problem ? UNWELL_MS : WELL_MS), problem };
    if (problem) throw problem;
  }

  async #status(): Promise<StatusResponse> {
    try {
      return await this.options.client.status();
    } catch (cause) {
      const what = `failed to perform status section of the healthz check for KMS Provider ${this.options.name}`;
      throw new Error(`${what}, error: ${(cause as Error).message}`, { cause });
    }
  }

  async #judge({ healthz, version, keyId }: StatusResponse): Promise<void> {
    const { name, observer } = this.options;
    const problems: string[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${healthz}`);
    if (!VERSIONS.includes(version))
      problems.push(`expected KMSv2 API version ${VERSIONS.join(' or ')}, got ${version}`);
    const invalid = keyIdProblem(keyId);
    if (invalid) {
      observer.invalidKeyTold?.(name, keyId === '' ? 'empty' : 'too_long');
      problems.push(`got invalid KMSv2 KeyID ${JSON.stringify(keyId.slice(0, LONGEST_KEY_ID))}: ${invalid}`);
    } else {
      observer.keyTold?.(name, keyId);
      await this.#follow(keyId).catch((error: Error) => problems.push(error.message));
    }
    const [first] = problems;
    if (first === undefined) return;
    const all = problems.length === 1 ? first : `[${problems.join(', ')}]`;
    throw new Error(`kmsv2 Provider ${name} is not healthy, error: ${all}`);
  }

  /** Makes a new key where the service has turned to another; what was is kept where that fails, until it expires. */
  async #follow(keyId: string): Promise<void> {
    // From before the call, so that it is a bound.
    const expires = this.#clock.now() + WRITE_MS;
    if (this.#own?.keyId === keyId) {
      this.#own = { ...this.#own, expires };
      return;
    }
    const bytes = randomBytes(GCM_KEY_BYTES);
    const wrapped = await this.#wrap(bytes);
    if (wrapped.keyId !== keyId)
      throw new Error(
        `failed to rotate DEK, statusKeyID=${JSON.stringify(keyId)}, encryptKeyID=${JSON.stringify(wrapped.keyId)}`,
      );
    await this.#prove(bytes, wrapped);
    const block = encodeWrappedKey(wrapped);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(block.length);
    const key = new GcmKey(bytes);
    this.#keys.set(block.toString('latin1'), { key, keyId });
    this.#own = { key, keyId, preamble: Buffer.concat([this.#header, length, block]), expires };
  }

  async #wrap(bytes: Buffer): Promise<WrappedKey> {
    const { client, observer } = this.options;
    const began = performance.now();
    try {
      const wrapped = await client.encrypt(bytes);
      checkWrapped(wrapped);
      observer.keyGenerated?.(performance.now() - began, false);
      return wrapped;
    } catch (cause) {
      observer.keyGenerated?.(performance.now() - began, true);
      throw new Error(`failed to encrypt DEK, error: ${(cause as Error).message}`, { cause });
    }
  }

  /** What the service could not decrypt again would be lost with this process. @throws Error */
  async #prove(bytes: Buffer, wrapped: WrappedKey): Promise<void> {
    const what = `failed to verify encrypted DEK, keyID=${JSON.stringify(wrapped.keyId)}`;
    const decrypted = await this.options.client.decrypt(wrapped).catch((cause: Error) => {
      throw new Error(`${what}, error: ${cause.message}`, { cause });
    });
    if (decrypted.length !== bytes.length || !timingSafeEqual(decrypted, bytes))
      throw new Error(`${what}, error: the service decrypts what it has encrypted to something else`);
  }

  isFor({ cipher, name }: Envelope): boolean {
    return cipher === 'kms' && name === this.options.name;
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    const { name, observer } = this.options;
    const own = this.#own;
    if (!own) throw new Error(`the KMS provider ${JSON.stringify(name)} has not given a key yet`);
    if (this.#clock.now() > own.expires) {
      const minutes = WRITE_MS / 60_000;
      throw new Error(
        `the key of the KMS provider ${JSON.stringify(name)} with keyID ${JSON.stringify(own.keyId)} has expired, as the service has not been well for ${minutes} minutes`,
      );
    }
    observer.keyUsed?.('to_storage', name, own.keyId);
    return own.key.seal(own.preamble, identity, plain);
  }

  open(identity: Buffer, envelope: Envelope): Buffer | Promise<Buffer> {
    const { block, preamble, rest } = partsOf(envelope);
    const text = block.toString('latin1');
    const known = this.#keys.get(text);
    if (known) {
      this.#used(known);
      return known.key.open(preamble, identity, rest);
    }
    return this.#keyOf(text, block).then((asked) => {
      this.#used(asked);
      const plain = asked.key.open(preamble, identity, rest);
      // Only now it is known that the service has told the truth.
      this.#keys.set(text, asked);
      return plain;
    });
  }

  isCurrent(envelope: Envelope): boolean {
    return this.#own !== undefined && keyIdOf(envelope) === this.#own.keyId;
  }

  /** Asks for a key once, however many bodies wait for it. */
  #keyOf(text: string, block: Buffer): Promise<KnownKey> {
    const asked = this.#asked.get(text);
    if (asked) return asked;
    this.options.observer.keyMissed?.();
    const asking = this.#unwrap(block).finally(() => this.#asked.delete(text));
    this.#asked.set(text, asking);
    return asking;
  }

  async #unwrap(block: Buffer): Promise<KnownKey> {
    const { client } = this.options;
    const wrapped = decodeEncryptResponse(block);
    const bytes = await client.decrypt(wrapped);
    if (bytes.length !== GCM_KEY_BYTES)
      throw new SealBrokenError(`the KMS provider gave a key of ${bytes.length} bytes`);
    return { key: new GcmKey(bytes), keyId: wrapped.keyId };
  }

  #used({ keyId }: KnownKey): void {
    this.options.observer.keyUsed?.('from_storage', this.options.name, keyId);
  }
}

const LENGTH_BYTES = 4;

interface Parts {
  /** The wrapped key. */
  readonly block: Buffer;
  /** Everything up to its end. */
  readonly preamble: Buffer;
  readonly rest: Buffer;
}

function partsOf({ header, payload }: Envelope): Parts {
  if (payload.length < LENGTH_BYTES) throw new SealBrokenError('it is cut off');
  const end = LENGTH_BYTES + payload.readUInt32BE();
  if (payload.length < end) throw new SealBrokenError('it is cut off');
  const preamble = Buffer.concat([header, payload.subarray(0, end)]);
  return { block: payload.subarray(LENGTH_BYTES, end), preamble, rest: payload.subarray(end) };
}

/** Undefined where it cannot be taken apart. */
function keyIdOf(envelope: Envelope): string | undefined {
  try {
    return decodeEncryptResponse(partsOf(envelope).block).keyId;
  } catch {
    return undefined;
  }
}

function keyIdProblem(keyId: string): string | undefined {
  if (keyId === '') return 'keyID is empty';
  const length = Buffer.byteLength(keyId);
  return length > LONGEST_KEY_ID
    ? `keyID is ${length} bytes, which exceeds the max size of ${LONGEST_KEY_ID}`
    : undefined;
}

/** What stands with each body has bounds. @throws Error */
function checkWrapped({ ciphertext, keyId, annotations }: WrappedKey): void {
  const { length } = ciphertext;
  if (length === 0) throw new Error('failed to validate encrypted DEK: encrypted DEK is empty');
  if (length > LONGEST_WRAPPED)
    throw new Error(
      `failed to validate encrypted DEK: encrypted DEK is ${length} bytes, which exceeds the max size of ${LONGEST_WRAPPED}`,
    );
  const invalid = keyIdProblem(keyId);
  if (invalid) throw new Error(`failed to validate key id: ${invalid}`);
  let size = 0;
  for (const [name, value] of annotations) {
    if (!DOMAIN.test(name))
      throw new Error(`failed to validate annotations: ${JSON.stringify(name)} is no domain name`);
    size += name.length + value.length;
  }
  if (size > LONGEST_ANNOTATIONS)
    throw new Error(
      `failed to validate annotations: total size of annotations is ${size}, which exceeds the max size of ${LONGEST_ANNOTATIONS}`,
    );
}
