import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Client, TransportError } from '@orch/client';
import { EventTable } from '../model/event-table.js';
import { KINDS, type Kind } from '../model/object-state.js';
import type { List, Read, Write } from '../model/records.js';

export const NAMESPACES = ['torture-0', 'torture-1', 'torture-2'] as const;
export const NAMES = ['o-0', 'o-1', 'o-2', 'o-3', 'o-4', 'o-5', 'o-6', 'o-7'] as const;
export const TIERS = ['a', 'b', 'c', ''] as const;
export const REASONS = ['Started', 'Failed', 'Killed'] as const;

/** An address of the system under test. */
export interface Server {
  readonly name: string;
  readonly client: Client;
}

/** State that all actors of a run share. */
export class Traffic {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly lists: List[] = [];
  readonly #events = new Map<string, EventTable>();
  readonly #known = new Map<string, number>();

  constructor(
    /** The load balancer. */
    readonly balanced: Server,
    /** Single api-servers, past the load balancer. */
    readonly direct: readonly Server[],
  ) {}

  /** A version of a kind that some client knows to be committed: what begins from now on must not be older. */
  learn(kind: string, version: number): void {
    if (version > this.known(kind)) this.#known.set(kind, version);
  }

  known(kind: string): number {
    return this.#known.get(kind) ?? 0;
  }

  /** Returns the events that watchers of a kind received. */
  events(kind: string): EventTable {
    const table = this.#events.get(kind) ?? new EventTable();
    this.#events.set(kind, table);
    return table;
  }
}

export const refOf = (kind: string, namespace?: string) => ({
  group: '',
  version: 'v1',
  resource: kind,
  ...(namespace !== undefined && { namespace }),
});

export const kindOf = (index: number): Kind => KINDS[index % KINDS.length] ?? 'configmaps';

/** Waits; less when the signal aborts. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}

/** Whether the server decided against it, so that asking again is pointless. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code >= 400 && error.code < 500 && error.code !== 429;

/** Whether it may pass by itself: no answer, too busy, or a failure on the server's side. Everything else is a defect here. */
export const mayPass = (error: unknown): boolean =>
  error instanceof TransportError || (error instanceof ApiError && (error.code === 429 || error.code >= 500));
