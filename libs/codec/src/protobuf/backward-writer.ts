import { MAX_MESSAGE_DEPTH, ProtobufError, tooDeep } from './protobuf-error.js';
import { LENGTH_DELIMITED, tagOf } from './wire.js';

const INITIAL = 64 * 1024;
/** Size above which a buffer is released after use. */
const KEPT = 4 * 1024 * 1024;
/** Texts up to this length are encoded by hand, which beats the call into the runtime. */
const SHORT_TEXT = 32;

const TWO_32 = 4294967296;

/**
 * Writes protobuf values from the end towards the beginning: a message is complete, and its length known, when the
 * length must be written, so that nothing is measured or moved. Callers write fields in descending order, values before
 * tags.
 */
export class BackwardWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL);
  #pos = INITIAL;
  #depth = 0;

  /** Bytes written so far; a mark for {@link delimit}. */
  get size(): number {
    return this.#buffer.length - this.#pos;
  }

  /** Starts over, whatever a failed use may have left. */
  reset(): void {
    if (this.#buffer.length > KEPT) this.#buffer = Buffer.allocUnsafeSlow(INITIAL);
    this.#pos = this.#buffer.length;
    this.#depth = 0;
  }

  /** Returns a copy of the written bytes. */
  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#pos));
  }

  /** Limits the recursion of callers; paired with {@link leave}. */
  enter(): void {
    if (++this.#depth > MAX_MESSAGE_DEPTH) throw tooDeep();
  }

  leave(): void {
    this.#depth--;
  }

  #reserve(bytes: number): void {
    if (this.#pos >= bytes) return;
    const used = this.size;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + bytes));
    this.#buffer.copy(grown, grown.length - used, this.#pos);
    this.#buffer = grown;
    this.#pos = grown.length - used;
  }

  /** Writes an unsigned integer below 2^32. */
  uint32(value: number): void {
    this.#reserve(5);
    if (value < 128) {
      this.#buffer[--this.#pos] = value;
      return;
    }
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    this.#pos -= size;
    let rest = value;
    let at = this.#pos;
    for (; rest > 127; rest >>>= 7) this.#buffer[at++] = (rest & 127) | 128;
    this.#buffer[at] = rest;
  }

  /** Writes a 64-bit integer in two's complement; 32-bit ones are extended to it. */
  int64(value: number | bigint): void {
    if (typeof value === 'number') {
      if (value >= 0 && value < TWO_32) this.uint32(value);
      else this.#halves(value >>> 0, Math.floor(value / TWO_32) >>> 0);
    } else {
      this.#halves(Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn));
    }
  }

  #halves(low: number, high: number): void {
    this.#reserve(10);
    const bytes: number[] = [];
    let [l, h] = [low, high];
    while (h > 0 || l > 127) {
      bytes.push((l & 127) | 128);
      l = ((l >>> 7) | (h << 25)) >>> 0;
      h >>>= 7;
    }
    bytes.push(l);
    this.#pos -= bytes.length;
    for (let i = 0; i < bytes.length; i++) this.#buffer[this.#pos + i] = bytes[i] as number;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#pos -= 8;
    this.#buffer.writeDoubleLE(value, this.#pos);
  }

  float(value: number): void {
    this.#reserve(4);
    this.#pos -= 4;
    this.#buffer.writeFloatLE(value, this.#pos);
  }

  /** Writes a text with its length. */
  string(text: string): void {
    const mark = this.size;
    if (text.length > SHORT_TEXT || !this.#shortText(text)) this.#longText(text);
    this.uint32(this.size - mark);
  }

  /** Returns false, with nothing written, when the text is not plain ASCII. */
  #shortText(text: string): boolean {
    this.#reserve(SHORT_TEXT);
    const buffer = this.#buffer;
    let at = this.#pos;
    for (let i = text.length - 1; i >= 0; i--) {
      const unit = text.charCodeAt(i);
      if (unit > 127) return false;
      buffer[--at] = unit;
    }
    this.#pos = at;
    return true;
  }

  #longText(text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#pos -= length;
    if (length === text.length) this.#buffer.write(text, this.#pos, length, 'latin1');
    else this.#buffer.write(text, this.#pos, length, 'utf8');
  }

  /** Writes bytes given in base64, with their length. @throws ProtobufError for invalid base64 */
  base64(text: string): void {
    const length = Buffer.byteLength(text, 'base64');
    this.#reserve(length);
    const written = this.#buffer.write(text, this.#pos - length, length, 'base64');
    if (written !== length) throw new ProtobufError('illegal base64 data');
    this.#pos -= length;
    this.uint32(length);
  }

  /** Writes length and tag of the message whose fields were written since the mark. */
  delimit(mark: number, fieldNumber: number): void {
    this.uint32(this.size - mark);
    this.uint32(tagOf(fieldNumber, LENGTH_DELIMITED));
  }
}
