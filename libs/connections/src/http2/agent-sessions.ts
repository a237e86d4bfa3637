import type { TLSSocket } from 'node:tls';
import { systemClock } from '@orch/runtime';
import { AgentSession } from './agent-session.js';

/** Milliseconds until an agent that has chosen HTTP/1.1 is offered HTTP/2 again. */
const HTTP1_MS = 60_000;

/** An agent, as seen by requests that may share connections to it. */
export interface AgentPlace {
  /** Equal for requests that may share a connection. */
  readonly key: string;
  /** Host and port, as `10.0.0.11:10250`. */
  readonly authority: string;
  /** Milliseconds for the agent to send its settings once it is connected; 0 is no bound. */
  readonly limitMs: number;
  /** Connects, and offers both versions of HTTP. @throws Error of the connection */
  dial(): Promise<TLSSocket>;
}

/** Connections to one agent. */
interface Pool {
  readonly sessions: Set<AgentSession>;
  /** Connection that is being opened; other requests wait for it. */
  dialing?: Promise<AgentSession | TLSSocket>;
  /** Whether the agent has chosen HTTP/1.1. */
  isHttp1?: boolean;
}

/** Connections to agents over HTTP/2, opened as they are needed. */
export class AgentSessions {
  readonly #pools = new Map<string, Pool>();

  /**
   * Finds a connection with a free stream, or opens one.
   * @returns the connection, with a stream reserved; for an agent that has chosen HTTP/1.1, the connection over which it
   * has, which is for this request alone, or undefined
   * @throws Error of the connection; for an agent that accepts no requests there
   */
  async reserve(place: AgentPlace): Promise<AgentSession | TLSSocket | undefined> {
    for (;;) {
      const pool = this.#poolOf(place.key);
      if (pool.isHttp1) return undefined;
      const free = [...pool.sessions].find((session) => session.reserve());
      if (free) return free;
      if (!pool.dialing) return this.#dial(pool, place);
      await pool.dialing;
    }
  }

  #poolOf(key: string): Pool {
    const known = this.#pools.get(key);
    if (known) return known;
    const pool: Pool = { sessions: new Set() };
    this.#pools.set(key, pool);
    return pool;
  }

  async #dial(pool: Pool, place: AgentPlace): Promise<AgentSession | TLSSocket> {
    pool.dialing = this.#connect(pool, place);
    try {
      return await pool.dialing;
    } finally {
      delete pool.dialing;
      if (pool.isHttp1) systemClock.after(HTTP1_MS, () => this.#pools.delete(place.key));
      else this.#dropEmpty(place.key, pool);
    }
  }

  async #connect(pool: Pool, { key, authority, limitMs, dial }: AgentPlace): Promise<AgentSession | TLSSocket> {
    const socket = await dial();
    if (socket.alpnProtocol !== 'h2') {
      pool.isHttp1 = true;
      return socket;
    }
    const session = await AgentSession.open(socket, authority, limitMs, (closed) => {
      pool.sessions.delete(closed);
      this.#dropEmpty(key, pool);
    });
    pool.sessions.add(session);
    return session;
  }

  #dropEmpty(key: string, pool: Pool): void {
    if (pool.sessions.size === 0 && !pool.dialing && this.#pools.get(key) === pool) this.#pools.delete(key);
  }
}
