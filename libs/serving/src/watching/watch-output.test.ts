import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WatchOutput, WatchOutputs } from './watch-output.js';

const LIMIT = 1000;

/** A connection that takes what it was given only when it is told to, as one whose client does not read. */
class Connection extends Writable {
  readonly got: Buffer[] = [];
  /** Bytes of each write, as the connection would encrypt them: those that waited in it come together. */
  readonly writes: number[] = [];
  #taken: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 16 });
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#take([bytes], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#take(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  /** The client reads what is under way. */
  async read(): Promise<void> {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
    await turn();
  }

  #take(pieces: readonly Buffer[], done: () => void): void {
    const bytes = Buffer.concat(pieces);
    this.got.push(bytes);
    this.writes.push(bytes.length);
    this.#taken = done;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const connection = new Connection();
  const output = new WatchOutput(connection, new WatchOutputs(LIMIT));
  let drained = 0;
  output.onDrain(() => drained++);
  const everything = async () => {
    for (let i = 0; i < 50; i++) await connection.read();
    return Buffer.concat(connection.got).toString();
  };
  return { connection, output, everything, drained: () => drained };
}

const piece = (length: number, letter = 'x') => Buffer.alloc(length, letter);

describe('WatchOutput', () => {
  it('passes small pieces on as they are, and asks for no more at the limit', async () => {
    const { connection, output, drained } = open();
    expect([output.write(piece(400)), output.write(piece(400)), output.write(piece(200))]).toEqual([true, true, false]);
    expect(output.own).toBe(1000);
    await connection.read();
    expect(drained()).toBe(1);
  });

  it('tells a client that reads a large piece slowly from one that does not read', async () => {
    const { connection, output } = open();
    output.write(piece(5_000));
    const seen = [output.departures];
    for (let read = 0; read < 3; read++) {
      await turn();
      seen.push(output.departures);
      await connection.read();
      seen.push(output.departures);
    }
    expect(seen).toEqual([0, 0, 1, 1, 2, 2, 3]);
  });

  it('never has more than the limit in the connection, however large the pieces are', async () => {
    const { connection, output, everything } = open();
    const pieces = [piece(10, 'a'), piece(5_300, 'b'), piece(1, 'c'), piece(999, 'd'), piece(1_001, 'e')];
    const highest: number[] = [];
    for (const one of pieces) {
      output.write(one);
      highest.push(output.own);
    }
    expect(Math.max(...highest)).toBeLessThanOrEqual(LIMIT);
    expect(await everything()).toBe(Buffer.concat(pieces).toString());
    expect(Math.max(...connection.writes)).toBeLessThanOrEqual(LIMIT);
  });

  it('takes pieces that belong together as one: in order, within the limit, and for a client that keeps up without a no', async () => {
    const { connection, output, everything, drained } = open();
    expect(output.writePieces([piece(10, 'a'), piece(20, 'b'), piece(1, 'c')])).toBe(true);
    expect(connection.writes).toEqual([10]);
    await connection.read();
    await connection.read();
    expect(output.writePieces([piece(10, 'd'), piece(5_000, 'e'), piece(1, 'f')])).toBe(true);
    expect(output.own).toBeLessThanOrEqual(LIMIT);
    expect(output.writePieces([piece(1, 'g'), piece(990, 'h')])).toBe(false);
    const all = `${'a'.repeat(10)}${'b'.repeat(20)}c${'d'.repeat(10)}${'e'.repeat(5_000)}fg${'h'.repeat(990)}`;
    expect(await everything()).toBe(all);
    expect([drained(), Math.max(...connection.writes) <= LIMIT]).toEqual([1, true]);
  });

  it('cuts no crumbs', async () => {
    const { connection, output, everything } = open();
    output.write(piece(10));
    output.write(piece(20_000));
    await everything();
    expect(connection.writes.length).toBeLessThan(25);
  });

  it('takes one large piece for a client that keeps up, and the next only once that is in the connection', async () => {
    const { connection, output, drained } = open();
    expect(output.write(piece(2_500))).toBe(true);
    expect(output.write(piece(10))).toBe(false);
    await connection.read();
    expect(drained()).toBe(0);
    await connection.read();
    await connection.read();
    expect(drained()).toBe(1);
    await connection.read();
    expect([drained(), output.idle]).toEqual([1, true]);
  });

  it('stays closed to more until it has said so', async () => {
    const { connection, output, drained } = open();
    output.write(piece(990));
    expect(output.write(piece(20))).toBe(false);
    expect(output.write(piece(1))).toBe(false);
    for (let i = 0; i < 5; i++) await connection.read();
    expect(drained()).toBe(1);
    expect(output.write(piece(1))).toBe(true);
  });

  it('goes on behind what others have left in the connection', async () => {
    const { output, connection, everything } = open();
    connection.write(piece(10));
    connection.write(piece(5_000, 'a'));
    expect(output.write(piece(2_500, 'b'))).toBe(false);
    expect(await everything()).toBe(`${'x'.repeat(10)}${'a'.repeat(5_000)}${'b'.repeat(2_500)}`);
  });

  it('ends behind what waits', async () => {
    const { output, connection, everything } = open();
    output.write(piece(2_500, 'a'));
    output.end(Buffer.from('last'));
    expect(await everything()).toBe(`${'a'.repeat(2_500)}last`);
    expect(connection.writableFinished).toBe(true);
    const empty = open();
    empty.output.end();
    expect(await empty.everything()).toBe('');
    expect(empty.connection.writableFinished).toBe(true);
  });

  it('says nothing when the connection breaks', async () => {
    const { output, connection, drained } = open();
    for (let i = 0; i < 10; i++) output.write(piece(300));
    connection.destroy();
    await turn();
    expect(drained()).toBe(0);
  });
});

describe('WatchOutputs', () => {
  it('counts a shared piece once and connections each, from the beginning of a watch to its end', async () => {
    const outputs = new WatchOutputs(LIMIT);
    const connections = [new Connection(), new Connection(), new Connection()];
    const all = connections.map((connection) => new WatchOutput(connection, outputs));
    let closed = 0;
    for (const output of all) output.open(() => closed++);
    const shared = piece(5_000);
    for (const output of all) output.write(shared);
    // A watch that was refused leaves nothing behind on its connection, which goes on to other requests.
    const refused = new Connection();
    new WatchOutput(refused, outputs).write(piece(10));
    expect(refused.listenerCount('close')).toBe(0);
    expect(outputs.waiting()).toEqual({ own: 3 * LIMIT, shared: 5_000 });
    for (const connection of connections) connection.destroy();
    await turn();
    expect(closed).toBe(3);
    expect(outputs.waiting()).toEqual({ own: 0, shared: 0 });
    expect(all.every(({ pieces }) => pieces.length === 0)).toBe(true);
    new WatchOutput(connections[0] as Connection, outputs).open(() => closed++);
    expect(closed).toBe(4);
    expect(outputs.waiting()).toEqual({ own: 0, shared: 0 });
  });
});
