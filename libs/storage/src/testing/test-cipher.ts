import type { Key } from '../face/key.js';
import { type BodyCipher, isSealed, SEALED, UnreadableBodyError } from '../sealing/body-cipher.js';

/** Beside the key's name. */
const HEAD = 2;

/**
 * Hides bodies from tests and from nobody else. What is sealed names its key by one letter, and the key of its object. Every second body
 * is opened a little later, as where somebody has to be asked.
 */
export class TestCipher implements BodyCipher {
  #opened = 0;

  /**
   * @param keys letters; the first seals, each opens what it has sealed. `-` as the first seals nothing, elsewhere lets plain bodies through
   * @param isConcerned which types are sealed
   */
  constructor(
    public keys: string,
    private readonly isConcerned: (resource: string) => boolean = () => true,
  ) {}

  concerns({ resource }: { resource: string }): boolean {
    return this.isConcerned(resource);
  }

  seal(type: { resource: string }, { namespace, name }: { namespace: string; name: string }, body: Buffer) {
    const [first = '-'] = this.keys;
    if (!this.concerns(type) || first === '-') return undefined;
    const text = Buffer.from(`${namespace}/${name}\n`);
    return Buffer.concat([Buffer.from([SEALED, first.charCodeAt(0)]), flipped(Buffer.concat([text, body]))]);
  }

  open(type: { group: string; resource: string }, key: { namespace: string; name: string }, stored: Buffer) {
    const letter = String.fromCharCode(stored[1] ?? 0);
    const refuse = (why: string) => new UnreadableBodyError({ type, key, why }, letter === 'p');
    if (!isSealed(stored)) {
      if (this.concerns(type) && !this.keys.includes('-')) throw refuse('it is not encrypted');
      return stored;
    }
    if (!this.keys.includes(letter)) throw refuse(`no key ${letter}`);
    const plain = flipped(stored.subarray(HEAD));
    const end = plain.indexOf('\n');
    if (plain.toString('utf8', 0, end) !== `${key.namespace}/${key.name}`) throw refuse('it is of another object');
    const body = plain.subarray(end + 1);
    return ++this.#opened % 2 === 0 ? body : Promise.resolve(body);
  }

  isCurrent(type: { resource: string }, _key: Key, stored: Buffer): boolean {
    const [first = '-'] = this.keys;
    if (!this.concerns(type) || first === '-') return !isSealed(stored);
    return isSealed(stored) && stored[1] === first.charCodeAt(0);
  }
}

const flipped = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5a));
