import type { Row } from '@orch/storage';
import type { FrameEncoder } from '../fan-out/frames.js';
import type { WatchSink } from '../fan-out/watch-sink.js';
import type { EqualityKey, SelectableAttributes, Selection } from '../state/attributes.js';
import { attributeOf } from '../state/attributes.js';

/** Body of a test object. */
export interface TestObject {
  readonly labels?: Record<string, string>;
  readonly node?: string;
  readonly content?: string;
}

export function bodyOf(object: TestObject): Buffer {
  return Buffer.from(JSON.stringify(object));
}

export function describeRow(row: Row): SelectableAttributes {
  const { labels = {}, node = '' } = JSON.parse(row.body.toString()) as TestObject;
  return {
    labels,
    fields: { 'metadata.name': row.name, 'metadata.namespace': row.namespace, 'spec.nodeName': node },
  };
}

/** A selection of equalities. */
export function selecting(equals: Partial<Record<EqualityKey, string>>): Selection {
  const entries = Object.entries(equals) as [EqualityKey, string][];
  return {
    key: JSON.stringify(entries),
    matches: (attributes) => entries.every(([key, value]) => attributeOf(attributes, key) === value),
    equals: new Map(entries),
  };
}

/** An event as `testEncoder` writes it. */
export interface TestEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly version: string;
  /** namespace/name */
  readonly key?: string;
  readonly body?: string;
  readonly end?: boolean;
  readonly error?: string;
}

/** Frames as lines of JSON. */
export const testEncoder: FrameEncoder = {
  key: 'test',
  event: (kind, { namespace, name, body }, version) =>
    line({ type: kind, version: `${version}`, key: `${namespace}/${name}`, body: body.toString() }),
  bookmark: (version, end) => line({ type: 'BOOKMARK', version: `${version}`, ...(end ? { end } : {}) }),
  error: (error) => line({ type: 'ERROR', version: '0', error: error instanceof Error ? error.message : error }),
};

/** The same of which large objects are cut out: a short piece, the body, and a short piece. */
export const piecesEncoder: FrameEncoder = {
  ...testEncoder,
  key: 'test pieces',
  eventPieces: (kind, entry, version) => {
    const head = `{"type":"${kind}","version":"${version}","key":"${entry.namespace}/${entry.name}","body":`;
    return [Buffer.from(head), entry.body, Buffer.from('}\n')];
  },
};

function line(event: TestEvent): Buffer {
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

/** A sink that keeps what it is given and stalls when told to. */
export class TestSink implements WatchSink {
  readonly pieces: Buffer[] = [];
  ended = false;
  stalled = false;
  departures = 0;
  /** Numbers of pieces of what came in more than one. */
  readonly together: number[] = [];
  /** Pieces that came though the one before was answered with a no, and nothing was drained since. */
  readonly overruns: Buffer[] = [];
  #refusing = false;
  #drain: () => void = () => {};

  write(bytes: Buffer): boolean {
    if (this.ended) throw new Error('written after the end');
    this.pieces.push(bytes);
    if (this.#refusing) this.overruns.push(bytes);
    this.#refusing = this.stalled;
    return !this.stalled;
  }

  /** Set of a sink that takes pieces that belong together as they are. */
  writePieces?: (pieces: readonly Buffer[]) => boolean;

  /** One that does. */
  static ofPieces(): TestSink {
    const sink = new TestSink();
    sink.writePieces = (pieces) => {
      sink.together.push(pieces.length);
      return pieces.map((piece) => sink.write(piece)).every(Boolean);
    };
    return sink;
  }

  onDrain(callback: () => void): void {
    this.#drain = callback;
  }

  end(): void {
    if (this.ended) throw new Error('ended twice');
    this.ended = true;
  }

  release(): void {
    this.stalled = false;
    this.#refusing = false;
    this.#drain();
  }

  /** Takes one more piece. */
  sip(): void {
    this.#refusing = false;
    this.#drain();
  }

  get events(): TestEvent[] {
    const lines = Buffer.concat(this.pieces).toString().split('\n');
    return lines.filter((each) => each !== '').map((each) => JSON.parse(each) as TestEvent);
  }

  /** `TYPE key@version`, one an event. */
  get summary(): string[] {
    return this.events.map(({ type, key, version, end, error }) => {
      if (type === 'ERROR') return `ERROR ${error}`;
      if (type === 'BOOKMARK') return `BOOKMARK@${version}${end === true ? ' end' : ''}`;
      return `${type} ${key}@${version}`;
    });
  }
}
