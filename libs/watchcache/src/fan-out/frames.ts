import type { Version } from '@orch/storage';
import { FailedObjectError } from '../errors.js';
import type { ChangeEvent, EventKind, Frame } from '../history/change-event.js';
import { type CacheEntry, readBody } from '../state/cache-entry.js';
import { owned } from '../state/owned.js';
import { LARGE, LargeFrames } from './large-frames.js';

/**
 * Why a stream ends with an error: history no longer reaches its position, an object could not be encoded, or its owner
 * ends it with an error.
 */
export type StreamError = 'expired' | 'internal' | Error;

/** Encodes complete wire frames, transfer framing included, for one served version and encoding. */
export interface FrameEncoder {
  /** Equal for encoders that make equal bytes. */
  readonly key: string;
  /**
   * `version` is written to the object: for a `DELETED`, that of the deletion or of the change that left the selection.
   */
  event(kind: EventKind, entry: CacheEntry, version: Version): Buffer;
  /**
   * Same in pieces, of which the long ones are views of the object's body, so that long data exists once. Absent, or
   * undefined, when only a single piece can be made.
   */
  eventPieces?(kind: EventKind, entry: CacheEntry, version: Version): readonly Buffer[] | undefined;
  /** All changes up to `version` have been sent; `initialEventsEnd`: so has the initial state. */
  bookmark(version: Version, initialEventsEnd: boolean): Buffer;
  /** Encodes the last frame of a stream that ends with an error. */
  error(kind: StreamError): Buffer;
  /** Encodes all events of a stream but its first, if they differ from that. */
  readonly following?: FrameEncoder;
}

/** Returns the encoder of a stream that has had its first event. */
export const followingOf = (encoder: FrameEncoder): FrameEncoder => encoder.following ?? encoder;

/** Bytes of a frame beside its own, as measured. */
const FRAME_OVERHEAD = 600;

/** Bytes of a body above which its frames are made in pieces: each is a write of its own, beside the usual ones. */
const IN_PIECES = 256 << 10;

/** Frames of ring events, made on first use, shared by all who want the same bytes, and kept within a budget. */
export class FrameCache {
  /** Frames of each event that has any, oldest first. The events themselves may have left the ring. */
  #held: (Frame[] | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  readonly #large = new LargeFrames();

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the frame of an event: one piece, or several for a large object. @throws FailedObjectError, and errors of
   * the encoder
   */
  frame(event: ChangeEvent, kind: EventKind, encoder: FrameEncoder): readonly Buffer[] {
    for (const frame of event.frames ?? []) {
      if (frame.kind === kind && frame.encoder === encoder.key) return frame.pieces;
    }
    const shown = shownBy(event, kind);
    const pieces = this.#pieces(shown, kind, event.version, encoder);
    // Pieces retain the body, which may have left the ring or its page.
    const size = FRAME_OVERHEAD + lengthOf(pieces);
    event.frames ??= [];
    if (event.frames.length === 0) this.#held.push(event.frames);
    event.frames.push({ kind, encoder: encoder.key, pieces, size });
    this.#bytes += size;
    this.#evict();
    return pieces;
  }

  /** Encodes a frame in one piece, or finds a referenced one. @throws FailedObjectError, and errors of the encoder */
  encode(entry: CacheEntry, kind: EventKind, version: Version, encoder: FrameEncoder): Buffer {
    if (shownBody(entry).length < LARGE) return owned(encoder.event(kind, entry, version));
    const make = () => [owned(encoder.event(kind, entry, version))];
    return this.#large.frame(`${version} ${kind} ${encoder.key}`, make)[0] as Buffer;
  }

  #pieces(entry: CacheEntry, kind: EventKind, version: Version, encoder: FrameEncoder): readonly Buffer[] {
    if (shownBody(entry).length < IN_PIECES || !encoder.eventPieces)
      return [this.encode(entry, kind, version, encoder)];
    const make = () => encoder.eventPieces?.(kind, entry, version) ?? [owned(encoder.event(kind, entry, version))];
    return this.#large.frame(`${version} ${kind} ${encoder.key} in pieces`, make);
  }

  /** Stops sharing frames made so far: they may be of another history. */
  disown(): void {
    this.#large.clear();
  }

  #evict(): void {
    while (this.#bytes > this.maxBytes) {
      const oldest = this.#held[this.#head];
      if (oldest === undefined) break;
      this.#held[this.#head++] = undefined;
      for (const { size } of oldest) this.#bytes -= size;
      oldest.length = 0;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#held.length) {
      this.#held = this.#held.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** @throws FailedObjectError, UnreadStateError */
function shownBody(entry: CacheEntry): Buffer {
  if (entry.failure) throw new FailedObjectError(entry.failure);
  return readBody(entry);
}

/** Bytes of pieces together. */
export function lengthOf(pieces: readonly Buffer[]): number {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  return bytes;
}

/**
 * Returns the shown entry: an object that left the selection is shown as it was, with the version of the change that
 * made it leave.
 */
export const shownBy = ({ op, entry, prior }: ChangeEvent, kind: EventKind): CacheEntry =>
  kind === 'DELETED' && op !== 'delete' ? (prior ?? entry) : entry;

/** Error of a stream that could not be given an event. */
export const streamErrorOf = (thrown: unknown): StreamError =>
  thrown instanceof FailedObjectError ? thrown.failure : 'internal';
