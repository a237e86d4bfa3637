import { StatusError } from '@orch/machinery';
import type { Version } from '@orch/storage';
import type { Definition } from './definition.js';

/** A creation under way. */
interface Creation {
  readonly name: string;
  readonly uid: string;
  /** As of which state of the definitions it was let through. */
  readonly asOf: Version;
}

/** What creations need to know. */
interface CreationKnowledge {
  /** The definitions that are known, by name. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Which state of them that is. */
  readonly version: Version | undefined;
}

/** The message is the one that clients know. */
const creationRefused = (): StatusError =>
  new StatusError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating');

/** Objects of custom kinds that are being created here: a definition goes once no server makes an object of its kind any more. */
export class Creations {
  readonly #underWay = new Set<Creation>();

  /** @param onDrained hears of each that has ended of a kind which is to go */
  constructor(
    private readonly known: CreationKnowledge,
    private readonly onDrained: () => void,
  ) {}

  /**
   * Lets an object be made of the kind of a definition.
   * @returns to be called when it was made, or was not
   * @throws StatusError 405 where the definition is being deleted, or has been
   */
  begin({ name, uid }: Pick<Definition, 'name' | 'uid'>): () => void {
    if (this.#hasEnded(name, uid)) throw creationRefused();
    const creation = { name, uid, asOf: this.known.version ?? 0n };
    this.#underWay.add(creation);
    return () => {
      if (this.#underWay.delete(creation) && this.#hasEnded(name, uid)) this.onDrained();
    };
  }

  /** Up to which version, of those up to `served`, no object is being made of a kind that this version says is to go. */
  drained(served: Version): Version {
    let least = served;
    for (const { name, uid, asOf } of this.#underWay) if (asOf < least && this.#hasEnded(name, uid)) least = asOf;
    return least;
  }

  /** Uids of definitions of whose kinds objects are being made that are to go. */
  get held(): string[] {
    return [...new Set([...this.#underWay].filter(({ name, uid }) => this.#hasEnded(name, uid)).map(({ uid }) => uid))];
  }

  #hasEnded(name: string, uid: string): boolean {
    const definition = this.known.definitions.get(name);
    return definition?.uid !== uid || definition.isTerminating;
  }
}
