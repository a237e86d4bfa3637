import { GrpcError, GrpcSocket } from '@orch/grpc';
import { RuntimeError } from '../runtime-error.js';
import { decode, encode } from './schema.js';

/** Bytes of a message, both ways; lists of all containers of a node are the longest. */
const LONGEST_MESSAGE = 16 << 20;

/** A method of a service, with the types of its messages. */
export interface CriMethod {
  /** Name in CRI's service. */
  readonly name: string;
  /** Type of the request in the schema. */
  readonly request: string;
  /** Type of the answer in the schema. */
  readonly answer: string;
}

/** Names a method and the types of its messages. */
export const method = (name: string, request: string, answer = 'Empty'): CriMethod => ({ name, request, answer });

/** Limits of a call. */
interface CriCallOptions {
  /** Milliseconds; by default the service's; `Infinity` for unlimited. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A service of a runtime behind a socket. */
export class CriService {
  /**
   * @param name of the service with its package
   * @param timeout milliseconds of a call, if nothing else is said
   */
  constructor(
    private readonly name: string,
    private readonly socket: GrpcSocket,
    private readonly timeout: number,
  ) {}

  /** Opens a socket for services. @param path of a Unix socket */
  static socket(path: string): GrpcSocket {
    return new GrpcSocket(path, LONGEST_MESSAGE);
  }

  /** Makes a call. The caller states the type of the answer, as the schema has it. @throws RuntimeError */
  async call<Answer extends object>(method: CriMethod, request: object, options: CriCallOptions = {}): Promise<Answer> {
    const { timeout = this.timeout, signal } = options;
    try {
      const answer = await this.socket.call(this.#path(method), encode(method.request, request), {
        failFast: true,
        ...(timeout !== Infinity && { timeout }),
        ...(signal && { signal }),
      });
      return decode(method.answer, answer) as Answer;
    } catch (error) {
      throw runtimeErrorOf(error);
    }
  }

  /** Makes a call, and resolves also if what it is about does not exist. */
  async callIdempotent(method: CriMethod, request: object, options: CriCallOptions = {}): Promise<void> {
    try {
      await this.call(method, request, options);
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.code !== 'NotFound') throw error;
    }
  }

  /** Makes a call with a stream of answers. @throws RuntimeError while it is read */
  async *stream<Answer extends object>(
    method: CriMethod,
    request: object,
    signal: AbortSignal,
  ): AsyncGenerator<Answer> {
    const bytes = encode(method.request, request);
    try {
      for await (const answer of this.socket.stream(this.#path(method), bytes, { signal, failFast: true }))
        yield decode(method.answer, answer) as Answer;
    } catch (error) {
      throw runtimeErrorOf(error);
    }
  }

  #path({ name }: CriMethod): string {
    return `/${this.name}/${name}`;
  }
}

function runtimeErrorOf(error: unknown): unknown {
  if (!(error instanceof GrpcError) || error.code === 'OK') return error;
  return new RuntimeError(error.code, error.description, { cause: error });
}
