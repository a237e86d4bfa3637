import { GrpcError } from '@orch/grpc';
import {
  type BodyCipher,
  type BodyCodec,
  isSealed,
  type Key,
  type TypeName,
  typeText,
  UnreadableBodyError,
  UnsealableBodyError,
} from '@orch/storage';
import type { ResourceRules } from './configuration/rules.js';
import { type Envelope, envelopeOf } from './envelope.js';
import { identityOf } from './identity.js';
import { isPassing } from './kms/failures.js';
import type { EncryptionObserver } from './observer.js';
import { pack, unpack } from './packing.js';
import type { BodyProvider } from './provider.js';

/** Bodies that are stored as they are. */
export const IDENTITY = 'identity';
/** Provider that encrypts bodies of a type, in the configured order. */
export type Provider = BodyProvider | typeof IDENTITY;

/** Types to encrypt, and their providers. */
interface BodyEncryptionOptions {
  readonly rules: ResourceRules<Provider>;
  /** Encoding of unencrypted bodies in the database, which is packed before encryption. */
  readonly bodies: BodyCodec;
  readonly observer: EncryptionObserver;
}

const UNKNOWN = 'unknown';

/** Encrypts bodies with the first provider of their type, and decrypts them with any. */
export class BodyEncryption implements BodyCipher {
  constructor(private readonly options: BodyEncryptionOptions) {}

  seal(type: TypeName, key: Key, body: Buffer): Buffer | undefined {
    const { rules, bodies, observer } = this.options;
    const [first] = rules.of(type) ?? [];
    if (first === undefined) return undefined;
    const began = performance.now();
    const prefix = first === IDENTITY ? '' : first.prefix;
    try {
      const sealed = first === IDENTITY ? undefined : first.seal(identityOf(type, key), pack(body, bodies));
      observer.transformed?.('to_storage', prefix, performance.now() - began, false);
      return sealed;
    } catch (cause) {
      observer.transformed?.('to_storage', prefix, performance.now() - began, true);
      throw new UnsealableBodyError(`unable to encrypt ${typeText(type)}: ${(cause as Error).message}`, { cause });
    }
  }

  open(type: TypeName, key: Key, stored: Buffer): Buffer | Promise<Buffer> {
    const providers = this.options.rules.of(type);
    if (!isSealed(stored)) return this.#plain(providers, type, key, stored);
    const began = performance.now();
    const envelope = envelopeOf(stored);
    const able = envelope ? (providers ?? []).filter((each) => each !== IDENTITY && each.isFor(envelope)) : [];
    const [first, ...others] = able as BodyProvider[];
    if (!envelope || !first) {
      this.#transformed(UNKNOWN, began, true);
      throw new UnreadableBodyError({ type, key, why: lackOf(envelope, providers) }, false);
    }
    const identity = identityOf(type, key);
    try {
      const packed = first.open(identity, envelope);
      if (Buffer.isBuffer(packed)) return this.#opened(packed, first, began);
      return packed.then(
        (later) => this.#opened(later, first, began),
        (error: unknown) => this.#byOthers(error, first, others, { type, key, identity, envelope, began }),
      );
    } catch (error) {
      const tried = { type, key, identity, envelope, began };
      if (others.length > 0) return this.#byOthers(error, first, others, tried);
      this.#transformed(first.prefix, began, true);
      throw failure(tried, error);
    }
  }

  /** Several providers may have keys of the same name. */
  async #byOthers(
    error: unknown,
    failed: BodyProvider,
    others: readonly BodyProvider[],
    tried: Tried,
  ): Promise<Buffer> {
    this.#transformed(failed.prefix, tried.began, true);
    let last = error;
    for (const each of others) {
      try {
        return this.#opened(await each.open(tried.identity, tried.envelope), each, tried.began);
      } catch (another) {
        this.#transformed(each.prefix, tried.began, true);
        last = another;
      }
    }
    throw failure(tried, last);
  }

  concerns(type: TypeName): boolean {
    return this.options.rules.of(type) !== undefined;
  }

  isCurrent(type: TypeName, key: Key, stored: Buffer): boolean {
    const [first] = this.options.rules.of(type) ?? [];
    if (first === undefined || first === IDENTITY) return !isSealed(stored);
    const envelope = envelopeOf(stored);
    return envelope !== undefined && first.isFor(envelope) && first.isCurrent(envelope, identityOf(type, key));
  }

  #plain(providers: readonly Provider[] | undefined, type: TypeName, key: Key, stored: Buffer): Buffer {
    if (!providers) return stored;
    const began = performance.now();
    if (providers.includes(IDENTITY)) {
      this.#transformed(IDENTITY, began, false);
      return stored;
    }
    this.#transformed(UNKNOWN, began, true);
    const why = 'it is not encrypted, and identity is not among the providers of its type';
    throw new UnreadableBodyError({ type, key, why }, false);
  }

  #opened(packed: Buffer, { prefix }: BodyProvider, began: number): Buffer {
    this.#transformed(prefix, began, false);
    return unpack(packed, this.options.bodies);
  }

  #transformed(prefix: string, began: number, failed: boolean): void {
    this.options.observer.transformed?.('from_storage', prefix, performance.now() - began, failed);
  }
}

interface Tried {
  readonly type: TypeName;
  readonly key: Key;
  readonly identity: Buffer;
  readonly envelope: Envelope;
  readonly began: number;
}

function failure({ type, key, envelope }: Tried, error: unknown): UnreadableBodyError {
  const passing = error instanceof GrpcError && isPassing(error);
  const message = error instanceof Error ? error.message : String(error);
  const why =
    error instanceof GrpcError
      ? `the KMS provider ${JSON.stringify(envelope.name)} failed to decrypt its key: ${message}`
      : message;
  return new UnreadableBodyError({ type, key, why }, passing, { cause: error });
}

function lackOf(envelope: Envelope | undefined, providers: readonly Provider[] | undefined): string {
  if (!envelope) return 'it is encrypted in a way that this release does not know';
  const { cipher, name } = envelope;
  const by =
    cipher === 'kms'
      ? `by the KMS provider ${JSON.stringify(name)}`
      : `by ${cipher} with the key ${JSON.stringify(name)}`;
  const lack = providers ? 'is not among the providers of its type' : 'is not configured for its type';
  return `it is encrypted ${by}, which ${lack}`;
}
