import { randomUUID } from 'node:crypto';
import { type GrpcCode, GrpcError, GrpcSocket } from '@orch/grpc';
import { socketOf } from '../configuration/endpoint.js';
import type { EncryptionObserver } from '../observer.js';
import {
  decodeDecryptResponse,
  decodeEncryptResponse,
  decodeStatusResponse,
  encodeDecryptRequest,
  encodeEncryptRequest,
  encodeStatusRequest,
  SERVICE,
  type StatusResponse,
  type WrappedKey,
} from './messages.js';

/** Bytes of an answer. */
const LONGEST_ANSWER = 1 << 20;
/** Characters of a plugin's error message. */
const LONGEST_DESCRIPTION = 1_000;

/** Address of a plugin, and the timeout. */
interface KmsClientOptions {
  /** Name of the provider, as configured. */
  readonly name: string;
  /** `unix://` and a path. */
  readonly endpoint: string;
  /** Timeout of a call, ms. */
  readonly timeout: number;
  readonly observer: EncryptionObserver;
}

/** A plugin of a key management service. */
export class KmsClient {
  readonly #socket: GrpcSocket;

  constructor(private readonly options: KmsClientOptions) {
    this.#socket = new GrpcSocket(socketOf(options.endpoint), LONGEST_ANSWER);
  }

  /** @throws GrpcError */
  async status(): Promise<StatusResponse> {
    return this.#call('Status', encodeStatusRequest(), decodeStatusResponse);
  }

  /** Encrypts a key by the service. @throws GrpcError */
  async encrypt(key: Buffer): Promise<WrappedKey> {
    return this.#call('Encrypt', encodeEncryptRequest(key, randomUUID()), decodeEncryptResponse);
  }

  /** Decrypts a key by the service. @throws GrpcError */
  async decrypt(key: WrappedKey): Promise<Buffer> {
    return this.#call('Decrypt', encodeDecryptRequest(key, randomUUID()), decodeDecryptResponse);
  }

  close(): void {
    this.#socket.close();
  }

  async #call<T>(method: string, request: Uint8Array, decode: (answer: Uint8Array) => T): Promise<T> {
    const { name, timeout, observer } = this.options;
    const path = `/${SERVICE}/${method}`;
    const began = performance.now();
    let code: GrpcCode = 'OK';
    try {
      return decode(await this.#socket.call(path, request, { timeout }));
    } catch (error) {
      const failure = failureOf(error as Error);
      code = failure.code;
      throw failure;
    } finally {
      observer.kmsCall?.(name, path, performance.now() - began, code);
    }
  }
}

function failureOf(error: Error): GrpcError {
  if (!(error instanceof GrpcError)) return new GrpcError('Internal', error.message);
  const { code, description } = error;
  return description.length > LONGEST_DESCRIPTION
    ? new GrpcError(code, description.slice(0, LONGEST_DESCRIPTION), { cause: error })
    : error;
}
