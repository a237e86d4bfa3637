import { randomUUID } from 'node:crypto';
import { socketOf } from '../configuration/endpoint.js';
import type { EncryptionObserver } from '../observer.js';
import { GrpcChannel } from './grpc-channel.js';
import { type GrpcCode, GrpcError } from './grpc-status.js';
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
  readonly #channel: GrpcChannel;

  constructor(private readonly options: KmsClientOptions) {
    this.#channel = new GrpcChannel(socketOf(options.endpoint));
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
    this.#channel.close();
  }

  async #call<T>(method: string, request: Uint8Array, decode: (answer: Uint8Array) => T): Promise<T> {
    const { name, timeout, observer } = this.options;
    const path = `/${SERVICE}/${method}`;
    const began = performance.now();
    let code: GrpcCode = 'OK';
    try {
      return decode(await this.#channel.call(path, request, timeout));
    } catch (error) {
      const failure = error instanceof GrpcError ? error : new GrpcError('Internal', (error as Error).message);
      code = failure.code;
      throw failure;
    } finally {
      observer.kmsCall?.(name, path, performance.now() - began, code);
    }
  }
}
