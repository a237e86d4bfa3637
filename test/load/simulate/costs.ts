/** Costs of single steps, as measured on one machine. CPU times are microseconds. */
export interface Costs {
  /** Cost of a write to one socket, whatever it carries. */
  readonly write: number;
  /** Additional cost of each event in it. */
  readonly event: number;
  /** Cost of a change in each gateway: receiving it, finding its audience, encoding it. */
  readonly change: number;
  /** Bytes of an event on the wire, without TLS. */
  readonly eventBytes: number;
  /** From the request to the gateway's receiving of the change, in milliseconds, on cores of their own. */
  readonly arrival: { readonly p50: number; readonly p99: number };
  /** Resident memory of a gateway and of each watcher, in bytes. */
  readonly memory: { readonly gateway: number; readonly watcher: number };
  /** Cost of PostgreSQL a second for each server: polls of the heads. */
  readonly poll: number;
  /** Cost of PostgreSQL and of an api-server for one write. */
  readonly request: { readonly postgres: number; readonly apiServer: number };
  /** Cost of NATS to deliver one change to one server. */
  readonly hand: number;
  /** Cost of the measuring client for a read from one socket, and for each event in it. */
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
  /** Factor by which the gateway was slower than on a core of its own; 1 on a quiet machine. */
  readonly stretch: number;
  readonly p50: number;
  readonly p99: number;
}

/** Result of a calibration, which a simulation reads. */
export interface Calibration {
  /** Processor and number of cores. */
  readonly machine: string;
  readonly costs: Costs;
  /** Points that the costs were fitted to. */
  readonly fitted: readonly MeasuredPoint[];
  /** Points that the model is compared with. */
  readonly checked: readonly MeasuredPoint[];
}
