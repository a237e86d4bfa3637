import { type Clock, systemClock } from '@orch/runtime/clock';
import { LRUCache } from 'lru-cache';
import { SealBrokenError } from '../ciphers/cipher.js';
import { GCM_KEY_BYTES, GcmKey } from '../ciphers/gcm.js';
import type { Envelope } from '../envelope.js';
import type { EncryptionObserver } from '../observer.js';
import type { BodyProvider } from '../provider.js';
import { cut, keyIdProblem } from './bounds.js';
import type { KmsClient } from './kms-client.js';
import { decodeEncryptResponse, type StatusResponse } from './messages.js';
import { KeyProofError, LENGTH_BYTES, type OwnKey, OwnKeys } from './own-key.js';

/** Milliseconds, all as in the reference: between checks of a healthy service, and of an unhealthy one. */
const CHECK_MS = 60_000;
const RETRY_MS = 10_000;
/** Milliseconds for which the result of a check is valid. */
const WELL_MS = 20_000;
const UNWELL_MS = 3_000;
/** Milliseconds for which a key may encrypt after the service was last healthy. Decryption is not limited. */
const WRITE_MS = 180_000;
/**
 * Milliseconds between proofs that a healthy service still decrypts the key: bodies under a key that it lost would be
 * unreadable after a restart.
 */
const PROVE_MS = 60_000;

/** Releases of the reference use these version names for the same calls. */
const VERSIONS = ['v2', 'v2beta1'];

/** Decrypted keys that are cached: about one for each start of a server whose bodies are read. */
const KEPT = 10_000;
/** Lost keys that are remembered. */
const KEPT_LOST = 1_000;

/** The key that bodies are encrypted with now. Times in monotonic ms. */
interface Held {
  readonly key: OwnKey;
  readonly expires: number;
  /** Time of the last proof that the service decrypts it. */
  readonly proved: number;
}

/** A decrypted key of some process. */
interface KnownKey {
  readonly key: GcmKey;
  readonly keyId: string;
}

interface KmsProviderOptions {
  /** Name of the provider, as configured. */
  readonly name: string;
  readonly client: Pick<KmsClient, 'status' | 'encrypt' | 'decrypt' | 'close'>;
  readonly observer: EncryptionObserver;
  /** Called when a check finds the service unhealthy, and for keys that it has lost. */
  readonly onError: (error: Error) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Encrypts bodies with a key that this process generates and a key management service has encrypted (envelope
 * encryption): so the service is called once for each start, and once whenever it rotates its key. The encrypted key is
 * stored with each body, and decrypted once by each process that reads such bodies.
 * Payload: length of the wrapped key, the wrapped key, nonce, ciphertext, tag.
 */
export class KmsProvider implements BodyProvider {
  readonly prefix: string;
  readonly #clock: Clock;
  readonly #maker: OwnKeys;
  readonly #keys = new LRUCache<string, KnownKey>({ max: KEPT });
  readonly #asked = new Map<string, Promise<KnownKey>>();
  /** This process's keys that the service has lost, in their stored form. */
  readonly #lost = new LRUCache<string, true>({ max: KEPT_LOST });
  #own: Held | undefined;
  /** Why this process has no key. */
  #lack = 'has not given a key yet';
  #looked: { readonly until: number; readonly problem: Error | undefined } | undefined;
  #looking: Promise<void> | undefined;
  #cancelLook: (() => void) | undefined;
  #closed = false;

  constructor(private readonly options: KmsProviderOptions) {
    this.prefix = `k8s:enc:kms:v2:${options.name}:`;
    this.#clock = options.clock ?? systemClock;
    this.#maker = new OwnKeys(options);
  }

  /** Checks the service, now and periodically. Never rejects: a service may come up after the server. */
  async start(): Promise<void> {
    let wait = CHECK_MS;
    try {
      await this.check();
    } catch (error) {
      wait = RETRY_MS;
      if (!this.#closed) this.options.onError(error as Error);
    }
    if (!this.#closed) this.#cancelLook = this.#clock.after(wait, () => void this.start());
  }

  /** Stops the checks, and closes the connection. */
  close(): void {
    this.#closed = true;
    this.#cancelLook?.();
    this.options.client.close();
  }

  /** Whether the service was healthy at the last check. @throws Error that says what is wrong */
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
    // Time before the calls, so that expiries derived from it are on the safe side.
    const asked = this.#clock.now();
    let problem: Error | undefined;
    try {
      await this.#judge(await this.#status(), asked);
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

  async #judge({ healthz, version, keyId }: StatusResponse, asked: number): Promise<void> {
    const { name, observer } = this.options;
    const problems: string[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${cut(healthz)}`);
    if (!VERSIONS.includes(version))
      problems.push(`expected KMSv2 API version ${VERSIONS.join(' or ')}, got ${cut(version)}`);
    const invalid = keyIdProblem(keyId);
    if (invalid) {
      observer.invalidKeyReported?.(name, keyId === '' ? 'empty' : 'too_long');
      problems.push(`got invalid KMSv2 KeyID ${JSON.stringify(cut(keyId))}: ${invalid}`);
    } else {
      observer.keyReported?.(name, keyId);
      await this.#follow(keyId, asked).catch((error: Error) => problems.push(error.message));
    }
    const [first] = problems;
    if (first === undefined) return;
    const all = problems.length === 1 ? first : `[${problems.join(', ')}]`;
    throw new Error(`kmsv2 Provider ${name} is not healthy, error: ${all}`);
  }

  /** Makes a new key when the service has rotated its own; the old one is kept if that fails, until it expires. */
  async #follow(keyId: string, asked: number): Promise<void> {
    const own = this.#own;
    if (own?.key.keyId !== keyId) return this.#turnTo(await this.#maker.draw(keyId), asked);
    // A service that was unavailable may have been replaced, with another key of the same id.
    const isDue = this.#looked?.problem !== undefined || asked - own.proved >= PROVE_MS;
    try {
      if (isDue) await this.#maker.prove(own.key);
    } catch (error) {
      if (error instanceof KeyProofError) return this.#withoutProof(own.key, error, asked);
      throw error;
    }
    this.#own = { key: own.key, expires: asked + WRITE_MS, proved: isDue ? asked : own.proved };
  }

  /**
   * Replaces a key whose proof failed by a new one, even if the failure was an accident. The old one stays in use,
   * until it expires, only if no new one can be had and it may yet be proved.
   */
  async #withoutProof(own: OwnKey, failure: KeyProofError, asked: number): Promise<void> {
    if (failure.unanswered) throw failure;
    const { name, onError } = this.options;
    let next: OwnKey;
    try {
      next = await this.#maker.draw(own.keyId);
    } catch (error) {
      if (!failure.passing) {
        this.#lost.set(own.text, true);
        this.#own = undefined;
        this.#lack = 'does not decrypt any more what it has encrypted, and has not given another key yet';
      }
      throw new Error(`${failure.message}; no other key: ${(error as Error).message}`, { cause: error });
    }
    this.#lost.set(own.text, true);
    this.#turnTo(next, asked);
    onError(
      new Error(
        `the KMS provider ${name} gave another key, as it does not decrypt the one before any more: only this process, and who else has read with it, can read until its end what that has encrypted: write it anew. ${failure.message}`,
        { cause: failure },
      ),
    );
  }

  #turnTo(key: OwnKey, asked: number): void {
    this.#keys.set(key.text, { key: key.key, keyId: key.keyId });
    this.#own = { key, expires: asked + WRITE_MS, proved: asked };
  }

  isFor({ cipher, name }: Envelope): boolean {
    return cipher === 'kms' && name === this.options.name;
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    const { name, observer } = this.options;
    const own = this.#own;
    if (!own) throw new Error(`the KMS provider ${JSON.stringify(name)} ${this.#lack}`);
    if (this.#clock.now() > own.expires) {
      // The key's id is not shown to writers.
      const minutes = WRITE_MS / 60_000;
      throw new Error(
        `the key of the KMS provider ${JSON.stringify(name)} has expired, as the service has not been well for ${minutes} minutes`,
      );
    }
    const { key, keyId, preamble } = own.key;
    observer.keyUsed?.('to_storage', name, keyId);
    return key.seal(preamble, identity, plain);
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
      // Only now the service's status is known to be true.
      this.#keys.set(text, asked);
      return plain;
    });
  }

  isCurrent(envelope: Envelope): boolean {
    const made = madeWith(envelope);
    return made !== undefined && made.keyId === this.#own?.key.keyId && !this.#lost.has(made.text);
  }

  /** Requests a key once, however many bodies wait for it. */
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

interface Parts {
  /** The wrapped key. */
  readonly block: Buffer;
  /** Prefix up to its end. */
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

/** Undefined for an invalid envelope. */
function madeWith(envelope: Envelope): { readonly text: string; readonly keyId: string } | undefined {
  try {
    const { block } = partsOf(envelope);
    return { text: block.toString('latin1'), keyId: decodeEncryptResponse(block).keyId };
  } catch {
    return undefined;
  }
}
