/**
 * Encoders for one-dimensional arrays in PostgreSQL's binary form (array_send): dimensions, has-null flag, element
 * type, length, lower bound, then each element behind its length. The text form needs quoting, and hexadecimal for
 * bytea: twice the bytes and half the speed.
 */
const INT2 = 21;
const INT4 = 23;
const INT8 = 20;
const TEXT = 25;
const BYTEA = 17;
/** Stands for the length of an element that is null. */
const NULL = -1;

function header(elementType: number, count: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(20 + bytes);
  // An array with no elements has no dimensions; readers of the binary form take a length of 0 for the same.
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(0, 4);
  buffer.writeInt32BE(elementType, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

export function int2Array(values: readonly number[]): Buffer {
  const buffer = header(INT2, values.length, values.length * 6);
  let at = 20;
  for (const value of values) {
    at = buffer.writeInt32BE(2, at);
    at = buffer.writeInt16BE(value, at);
  }
  return buffer;
}

export function int4Array(values: readonly number[]): Buffer {
  const buffer = header(INT4, values.length, values.length * 8);
  let at = 20;
  for (const value of values) {
    at = buffer.writeInt32BE(4, at);
    at = buffer.writeInt32BE(value, at);
  }
  return buffer;
}

export function int8Array(values: readonly bigint[]): Buffer {
  const buffer = header(INT8, values.length, values.length * 12);
  let at = 20;
  for (const value of values) {
    at = buffer.writeInt32BE(8, at);
    at = buffer.writeBigInt64BE(value, at);
  }
  return buffer;
}

export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = 4 * values.length;
  for (const value of values) bytes += value === null ? 0 : Buffer.byteLength(value);
  const buffer = header(TEXT, values.length, bytes);
  let at = 20;
  for (const value of values) {
    const length = value === null ? 0 : buffer.write(value, at + 4);
    buffer.writeInt32BE(value === null ? NULL : length, at);
    at += 4 + length;
  }
  return buffer;
}

export function byteaArray(values: readonly (Buffer | null)[]): Buffer {
  let bytes = 4 * values.length;
  for (const value of values) bytes += value?.length ?? 0;
  const buffer = header(BYTEA, values.length, bytes);
  let at = 20;
  for (const value of values) {
    at = buffer.writeInt32BE(value?.length ?? NULL, at);
    if (value) at += value.copy(buffer, at);
  }
  return buffer;
}
