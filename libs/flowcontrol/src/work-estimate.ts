/** Seats that a request takes while it executes, and for a while afterwards. */
export interface WorkEstimate {
  /** Seats during its execution. */
  readonly initialSeats: number;
  /** Seats that it keeps after its answer, while watchers are notified. */
  readonly finalSeats: number;
  /** Milliseconds for which it keeps the final seats. */
  readonly additionalMs: number;
}

/** Returns the seats held for a request, from its start to its end. */
export const seatsOf = ({ initialSeats, finalSeats }: WorkEstimate): number => Math.max(initialSeats, finalSeats);

/** Default estimate of a request. */
export const ONE_SEAT: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalMs: 0 };

/** Limit in release 1.27 (k8s.io/apiserver, pkg/util/flowcontrol/request). */
const MAX_SEATS = 10;
const OBJECTS_PER_SEAT = 100;
const WATCHES_PER_SEAT = 10;
const EVENT_MS = 5;

/** Expected work of a list. */
export interface ListWork {
  /** Number of stored objects of the type; undefined if unknown. */
  readonly stored: number | undefined;
  /** Maximum number of objects in the answer; 0 for no limit. */
  readonly limit: number;
  /** Whether it is answered from memory. */
  readonly isFromCache: boolean;
  /** Whether labels or fields select objects. */
  readonly hasSelector: boolean;
}

/** @param maxSeats maximum number of seats of one request of the level */
export function listEstimate({ stored, limit, isFromCache, hasSelector }: ListWork, maxSeats: number): WorkEstimate {
  if (stored === undefined) return ONE_SEAT;
  const wanted = limit > 0 ? Math.min(limit, stored) : stored;
  const objects = isFromCache ? stored : hasSelector ? stored + wanted : 2 * wanted;
  return { ...ONE_SEAT, initialSeats: within(objects / OBJECTS_PER_SEAT, maxSeats) };
}

/** @param watchers that may be notified of the write */
export function writeEstimate(watchers: number, maxSeats: number): WorkEstimate {
  if (watchers < WATCHES_PER_SEAT) return ONE_SEAT;
  const work = Math.ceil(watchers / WATCHES_PER_SEAT) * EVENT_MS;
  const finalSeats = within(watchers / WATCHES_PER_SEAT, maxSeats);
  return { initialSeats: 1, finalSeats, additionalMs: work / finalSeats };
}

const within = (seats: number, most: number): number =>
  Math.max(1, Math.min(Math.ceil(seats), Math.min(most, MAX_SEATS)));
