/** What one thing takes, as measured on one machine. CPU times are microseconds. */
export interface Costs {
  /** Of a write to one socket, whatever it carries. */
  readonly write: number;
  /** Of each event that is in it. */
  readonly event: number;
  /** Of a change in each gateway: receiving it, finding its audience, encoding it. */
  readonly change: number;
  /** Bytes of an event on the wire, without TLS. */
  readonly eventBytes: number;
  /** From the request to the gateway's receiving of the change, in milliseconds, on cores of their own. */
  readonly arrival: { readonly p50: number; readonly p99: number };
  /** Resident memory of a gateway and of each watcher, in bytes. */
  readonly memory: { readonly gateway: number; readonly watcher: number };
  /** Of PostgreSQL a second for each server: polls of the heads. */
  readonly poll: number;
  /** Of PostgreSQL and an api-server for one write. */
  readonly request: { readonly postgres: number; readonly apiServer: number };
  /** Of NATS for handing one change to one server. */
  readonly hand: number;
  /** Of the measuring client for a read from one socket, and for each event in it. */
  readonly client: { readonly read: number; readonly event: number };
}

/** Fan-out as it was measured: one gateway, one audience. Times are milliseconds, CPU times microseconds. */
export interface MeasuredPoint {
  readonly watchers: number;
  /** Writes per second. */
  readonly rate: number;
  /** CPU of the gateway for each event delivered to one watcher. */
  readonly perEvent: number;
  /** The same of the client. */
  readonly clientPerEvent: number;
  /** By how much longer things took than on cores of their own, as the gateway saw it; 1 on a quiet machine. */
  readonly stretch: number;
  readonly p50: number;
  readonly p99: number;
}

/** What a calibration writes and a simulation reads. */
export interface Calibration {
  /** Processor and number of cores. */
  readonly machine: string;
  readonly costs: Costs;
  /** Those that the costs were fitted to. */
  readonly fitted: readonly MeasuredPoint[];
  /** Those that the model is held against. */
  readonly checked: readonly MeasuredPoint[];
}
