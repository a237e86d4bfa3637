import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { AnnouncedChange } from '@orch/feed';
import { decodeBatch, encodeBatches, SEAL_BYTES, Seal, sealingKey } from '@orch/feed/testing';
import type { Random } from '../random.js';

/** Messages that are kept to be sent again. */
const KEPT = 500;
const LIMIT = 1 << 20;
const MAX_VERSION = 2n ** 63n - 1n;
/** The highest that is read at all. */
const MAX_READ = 2n ** 62n - 1n;

/** Forgeries of a message that the forger has received. */
const FORGERIES = [
  'altered',
  'truncated',
  'replayed',
  'replayed old',
  'misdirected',
  'unsigned next',
  'unsigned changed',
  'unsigned far',
  'other installation',
  'other key',
  'garbage',
] as const;
export type Forgery = (typeof FORGERIES)[number];

/**
 * Somebody who may publish on NATS and has no key: hears every announcement, and sends after it what might pass for one.
 */
export class Forger {
  readonly sent: Record<Forgery, number>;
  readonly #heard: { readonly subject: string; readonly data: Uint8Array }[] = [];

  private constructor(
    private readonly connection: NatsConnection,
    private readonly random: Random,
  ) {
    this.sent = Object.fromEntries(FORGERIES.map((forgery) => [forgery, 0])) as Record<Forgery, number>;
    connection.subscribe('*.*.changes.*', { callback: (_, message) => this.#hear(message) });
  }

  static async open(url: string, random: Random): Promise<Forger> {
    return new Forger(await connect({ servers: url, noEcho: true }), random);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #hear({ subject, data }: Msg): void {
    const message = { subject, data: Uint8Array.from(data) };
    if (this.#heard.length < KEPT) this.#heard.push(message);
    else this.#heard[this.random.between(0, KEPT - 1)] = message;
    for (const forgery of FORGERIES) if (this.random.chance(0.3)) this.#send(forgery, message);
  }

  #send(forgery: Forgery, message: { readonly subject: string; readonly data: Uint8Array }): void {
    const { subject, data } = this.#forge(forgery, message);
    this.connection.publish(subject, data);
    this.sent[forgery]++;
  }

  #forge(forgery: Forgery, { subject, data }: { readonly subject: string; readonly data: Uint8Array }) {
    const { random } = this;
    const next = (version: bigint) => this.#records(data, version);
    switch (forgery) {
      case 'altered': {
        const altered = Buffer.from(data);
        const at = random.between(0, altered.length - 1);
        altered.writeUInt8((altered[at] ?? 0) ^ (1 << random.between(0, 7)), at);
        return { subject, data: altered };
      }
      case 'truncated':
        return { subject, data: data.subarray(0, random.between(0, data.length - 1)) };
      case 'replayed':
        return { subject, data };
      case 'replayed old':
        return random.pick(this.#heard);
      case 'misdirected':
        return { subject: random.pick(this.#heard).subject, data };
      case 'unsigned next':
        return { subject, data: next(lastOf(data).version + 1n) };
      case 'unsigned changed':
        return { subject, data: data.subarray(0, data.length - SEAL_BYTES) };
      case 'unsigned far':
        return { subject, data: next(random.pick([MAX_VERSION, MAX_READ, lastOf(data).version + 1_000_000n])) };
      case 'other installation':
        return { subject, data: new Seal('another').put(next(MAX_READ), sealingKey(keyIdOf(data), Buffer.alloc(32))) };
      case 'other key':
        return { subject, data: new Seal('').put(next(MAX_READ), sealingKey(random.between(0, 99), Buffer.alloc(32))) };
      case 'garbage':
        return {
          subject,
          data: Buffer.from(Array.from({ length: random.between(0, 200) }, () => random.between(0, 255))),
        };
    }
  }

  /** A change that follows the last one of a message, with a version and content of its own. */
  #records(data: Uint8Array, version: bigint): Uint8Array {
    const last = lastOf(data);
    const forged: AnnouncedChange = {
      ...last,
      version,
      previous: last.version,
      op: 'update',
      body: Buffer.from(last.body.toString().replace(/"data":\{[^}]*\}/, '"data":{"forged":"yes"}')),
    };
    return encodeBatches([forged], LIMIT)[0] ?? new Uint8Array();
  }
}

function lastOf(data: Uint8Array): AnnouncedChange {
  const last = decodeBatch(data).at(-1);
  if (last === undefined) throw new Error('a message without changes');
  return last;
}

const keyIdOf = (data: Uint8Array): number => Buffer.from(data).readUInt32LE(data.length - SEAL_BYTES + 1);
