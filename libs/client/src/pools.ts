import type { Agent } from 'undici';
import type { AnswerBody } from './answer-body.js';
import type { ClientCertificate } from './credentials/certificate.js';

/** Connections that are shown one certificate. */
interface Pool {
  readonly certificate: ClientCertificate | undefined;
  readonly agent: Agent;
  /** Answers under way that may go on without end. */
  readonly streams: Set<AnswerBody>;
}

/** The connections of a client. They all show the same certificate; when that changes, others take their place. */
export class Pools {
  #current: Pool;
  #closed = false;

  constructor(private readonly agentFor: (certificate: ClientCertificate | undefined) => Agent) {
    this.#current = this.#open(undefined);
  }

  /** Those that are in use. */
  get current(): Pool {
    return this.#current;
  }

  /**
   * The connections that show this certificate. Those that show another are closed: what waits for a whole answer gets it, what may go on
   * without end is cut.
   */
  show(certificate: ClientCertificate | undefined): Pool {
    const before = this.#current;
    if (before.certificate === certificate || this.#closed) return before;
    this.#current = this.#open(certificate);
    void before.agent.close();
    for (const body of before.streams) body.destroy(new Error('the client certificate has changed'));
    return this.#current;
  }

  /** Takes no more requests, and closes each connection when nothing is in flight on it. */
  end(): Promise<void> {
    this.#closed = true;
    return this.#current.agent.close();
  }

  /** Closes all connections, also of requests in flight. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#current.agent.destroy();
  }

  #open(certificate: ClientCertificate | undefined): Pool {
    return { certificate, agent: this.agentFor(certificate), streams: new Set() };
  }
}
