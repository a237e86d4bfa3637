import type { Agent } from 'undici';
import type { AnswerBody } from './answer-body.js';
import type { ClientCertificate } from './credentials/certificate.js';

/** Connections with one client certificate. */
interface Pool {
  readonly certificate: ClientCertificate | undefined;
  readonly agent: Agent;
  /** Endless answers in progress. */
  readonly streams: Set<AnswerBody>;
}

/** The connections of a client. They all use the same certificate; when that changes, they are replaced. */
export class Pools {
  #current: Pool;
  #closed = false;

  constructor(private readonly agentFor: (certificate: ClientCertificate | undefined) => Agent) {
    this.#current = this.#open(undefined);
  }

  /** The pool in use. */
  get current(): Pool {
    return this.#current;
  }

  /**
   * Returns the pool of a certificate. Connections with another one are closed: requests that wait for a whole answer
   * get it, endless ones are cut.
   */
  show(certificate: ClientCertificate | undefined): Pool {
    const before = this.#current;
    if (before.certificate === certificate || this.#closed) return before;
    this.#current = this.#open(certificate);
    void before.agent.close();
    for (const body of before.streams) body.destroy(new Error('the client certificate has changed'));
    return this.#current;
  }

  /** Accepts no more requests, and closes each connection when nothing is in flight on it. */
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
