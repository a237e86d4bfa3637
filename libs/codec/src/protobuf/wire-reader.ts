import { TooManyValuesError } from '../too-many-values.js';
import { MAX_MESSAGE_DEPTH, ProtobufError, tooDeep } from './protobuf-error.js';
import { END_GROUP, FIXED32, FIXED64, LENGTH_DELIMITED, START_GROUP, VARINT } from './wire.js';

const truncated = () => new ProtobufError('unexpected end of the message');

/** Texts up to this length are decoded by hand, which beats the call into the runtime. */
const SHORT_TEXT = 12;

const TWO_32 = 4294967296;

/**
 * Reads protobuf values from a buffer. Never reads past `end`, which moves as messages are entered and left.
 * @throws ProtobufError from every method, for malformed input
 */
export class WireReader {
  pos = 0;
  end: number;
  #depth = 0;

  #left: number;

  /** @param maxValues how often {@link count} may be called */
  constructor(
    readonly buffer: Buffer,
    private readonly maxValues = Number.POSITIVE_INFINITY,
  ) {
    this.end = buffer.length;
    this.#left = maxValues;
  }

  /** Number of further values that are allowed. */
  get left(): number {
    return this.#left;
  }

  /** Counts values. @throws TooManyValuesError */
  count(values = 1): void {
    this.#left -= values;
    if (this.#left < 0) throw new TooManyValuesError(this.maxValues);
  }

  /** Reads the low 32 bits of a varint: an int32, a bool, a length or a tag. */
  uint32(): number {
    const { buffer } = this;
    const first = this.pos < this.end ? (buffer[this.pos] as number) : 128;
    if (first < 128) {
      this.pos++;
      return first;
    }
    return this.#varint() >>> 0;
  }

  /** Reads a signed 64-bit integer: a number if that is exact, else a bigint. */
  int64(): number | bigint {
    const low = this.#varint() >>> 0;
    const high = this.#high | 0;
    const value = high * TWO_32 + low;
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
  }

  uint64(): number | bigint {
    const low = this.#varint() >>> 0;
    const high = this.#high >>> 0;
    const value = high * TWO_32 + low;
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
  }

  /** Bits 32 to 63 of the varint read last. */
  #high = 0;

  /** Reads a varint of up to 64 bits: returns the low half and leaves the other in `#high`. */
  #varint(): number {
    const { buffer, end } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.pos >= end) throw truncated();
      const byte = buffer[this.pos++] as number;
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 128) {
        this.#high = high;
        return low;
      }
    }
    throw new ProtobufError('a varint is longer than ten bytes');
  }

  double(): number {
    const at = this.#take(8);
    return this.buffer.readDoubleLE(at);
  }

  float(): number {
    const at = this.#take(4);
    return this.buffer.readFloatLE(at);
  }

  /** Reads a text; invalid UTF-8 becomes replacement characters. */
  string(): string {
    const length = this.uint32();
    const start = this.#take(length);
    return length <= SHORT_TEXT ? this.#shortText(start, length) : this.buffer.toString('utf8', start, start + length);
  }

  #shortText(start: number, length: number): string {
    let text = '';
    for (let at = start; at < start + length; at++) {
      const byte = this.buffer[at] as number;
      if (byte > 127) return this.buffer.toString('utf8', start, start + length);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** Returns a view of the bytes, not a copy. */
  bytes(): Buffer {
    const length = this.uint32();
    const start = this.#take(length);
    return this.buffer.subarray(start, start + length);
  }

  #take(length: number): number {
    const start = this.pos;
    if (length > this.end - start) throw truncated();
    this.pos = start + length;
    return start;
  }

  /** Enters a length-delimited message; returns the argument for {@link leave}. */
  enter(): number {
    if (++this.#depth > MAX_MESSAGE_DEPTH) throw tooDeep();
    const length = this.uint32();
    if (length > this.end - this.pos) throw truncated();
    const outer = this.end;
    this.end = this.pos + length;
    return outer;
  }

  leave(outer: number): void {
    this.end = outer;
    this.#depth--;
  }

  /** Skips the value of an unknown field. */
  skip(wireType: number): void {
    let groups = 0;
    let type = wireType;
    for (;;) {
      switch (type) {
        case VARINT:
          this.#varint();
          break;
        case FIXED64:
          this.#take(8);
          break;
        case LENGTH_DELIMITED:
          this.#take(this.uint32());
          break;
        case FIXED32:
          this.#take(4);
          break;
        case START_GROUP:
          groups++;
          break;
        case END_GROUP:
          if (--groups < 0) throw new ProtobufError('a group ends that did not start');
          break;
        default:
          throw new ProtobufError(`wire type ${type} does not exist`);
      }
      if (groups === 0) return;
      type = this.uint32() & 7;
    }
  }
}
