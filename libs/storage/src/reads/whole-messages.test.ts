import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { NotPostgresError, WholeMessages, WholeMessageWire } from './whole-messages.js';

/** A message of a kind with a text. */
function message(kind: string, text: string): Buffer {
  const bytes = Buffer.alloc(5 + text.length);
  bytes.write(kind, 'latin1');
  bytes.writeUInt32BE(4 + text.length, 1);
  bytes.write(text, 5, 'latin1');
  return bytes;
}

/** What is delivered when bytes come in pieces that end there. */
function delivered(bytes: Buffer, ends: readonly number[]): Buffer[] {
  const got: Buffer[] = [];
  const whole = new WholeMessages((messages) => got.push(Buffer.from(messages)));
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    whole.take(bytes.subarray(from, end));
    from = end;
  }
  return got;
}

/** Whether bytes are whole messages. */
function areWhole(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length) at += 1 + bytes.readUInt32BE(at + 1);
  return at === bytes.length;
}

const LARGE = 50_000;

describe('the messages of a server', () => {
  it('are delivered whole and in order, wherever the bytes are cut', () => {
    const texts = fc.array(
      fc.integer({ min: 0, max: 40 }).map((length) => 'x'.repeat(length)),
      { minLength: 1 },
    );
    const property = fc.property(texts, fc.array(fc.nat(400)), (all, cuts) => {
      const bytes = Buffer.concat(all.map((text, i) => message(String.fromCharCode(65 + (i % 26)), text)));
      const ends = cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b);
      const got = delivered(bytes, ends);
      expect(Buffer.concat(got).equals(bytes)).toBe(true);
      expect(got.every(areWhole)).toBe(true);
    });
    fc.assert(property);
  });

  it('are put together one after another in the same memory, where they are large, and of no more than their length', () => {
    const memory: ArrayBufferLike[] = [];
    const whole = new WholeMessages(({ buffer }) => memory.push(buffer));
    for (const length of [LARGE, LARGE - 1, LARGE + 1, LARGE]) {
      const bytes = message('d', 'x'.repeat(length));
      whole.take(bytes.subarray(0, 3));
      whole.take(bytes.subarray(3, 40_000));
      whole.take(bytes.subarray(40_000));
    }
    expect(memory[0]?.byteLength).toBe(5 + LARGE);
    expect(memory[1]).toBe(memory[0]);
    expect(memory[2]?.byteLength).toBe(5 + LARGE + 1);
    expect(memory[3]).toBe(memory[2]);
  });

  it.each([
    ['longer than any is', Buffer.from('HTTP/1.1 400 Bad Request')],
    ['shorter than its own length', Buffer.from([0x5a, 0, 0, 0, 3, 0])],
  ])('are refused where one would be %s', (_, bytes) => {
    expect(() => delivered(bytes, [])).toThrow(NotPostgresError);
    expect(() => delivered(bytes, [2])).toThrow(NotPostgresError);
  });
});

describe('the wire', () => {
  const open = () => {
    const stream = new PassThrough();
    const wire = new WholeMessageWire({ stream: () => stream }) as WholeMessageWire & pg.Connection;
    wire.attachListeners(stream);
    return { stream, wire };
  };

  it('hands what it reads to the driver', async () => {
    const { stream, wire } = open();
    const copied: string[] = [];
    wire.on('copyData', ({ chunk }: { chunk: Buffer }) => copied.push(chunk.toString()));
    const bytes = Buffer.concat(['a', 'bc'].map((text) => message('d', text)));
    stream.write(bytes.subarray(0, 9));
    stream.end(bytes.subarray(9));
    await new Promise((resolve) => stream.once('close', resolve));
    expect(copied).toEqual(['a', 'bc']);
  });

  it('frees what it has read, of which the driver keeps nothing', async () => {
    const { stream, wire } = open();
    const copied: string[] = [];
    wire.on('copyData', ({ chunk }: { chunk: Buffer }) => copied.push(chunk.toString()));
    const texts = ['a', 'b', 'c'].map((text) => text.repeat(LARGE));
    const bytes = Buffer.concat(texts.map((text) => message('d', text)));
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 60_000) {
      const piece = Buffer.allocUnsafeSlow(Math.min(60_000, bytes.length - at));
      bytes.copy(piece, 0, at);
      pieces.push(piece);
      stream.write(piece);
    }
    stream.end();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(copied).toEqual(texts);
    expect(pieces.map(({ length }) => length)).toEqual([0, 0, 0]);
  });

  it('is cut where something else answers than PostgreSQL', async () => {
    const { stream } = open();
    const failed = new Promise((resolve) => stream.once('error', resolve));
    stream.write('HTTP/1.1 400 Bad Request');
    expect(await failed).toBeInstanceOf(NotPostgresError);
    expect(stream.destroyed).toBe(true);
  });

  it('leaves what goes wrong in a reader to who looks after it', () => {
    const { stream, wire } = open();
    wire.on('copyData', () => {
      throw new RangeError('the reader failed');
    });
    expect(() => stream.emit('data', message('d', 'a'))).toThrow('the reader failed');
    expect(stream.destroyed).toBe(false);
  });
});
