import { StatusError } from '@orch/machinery';
import type { Version } from '@orch/storage';
import type { Definition } from './definition.js';

/** A creation under way. */
interface Creation {
  readonly name: string;
  readonly uid: string;
  /** Version of the definitions as of which it was admitted. */
  readonly asOf: Version;
}

/** The served definitions, by which creations are admitted. */
interface CreationKnowledge {
  /** Definitions that are known, by name. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Version up to which changes of definitions are known. */
  readonly version: Version | undefined;
}

/** The message is the one that clients know. */
const creationRefused = (): StatusError =>
  new StatusError('MethodNotAllowed', 'create not allowed while custom resource definition is terminating');

/**
 * Objects of custom kinds that are being created here: a definition goes once no server makes an object of its kind any
 * more.
 */
export class Creations {
  readonly #underWay = new Set<Creation>();

  /** @param onDrained called when a creation has ended whose definition is being deleted, or has been */
  constructor(
    private readonly known: CreationKnowledge,
    private readonly onDrained: () => void,
  ) {}

  /**
   * Admits a creation of an object of a definition's kind.
   * @returns to be called when the object was written, or was not
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

  /**
   * Returns the latest version, at most `served`, such that no creation is under way of a kind whose definition was
   * deleted by then.
   */
  drained(served: Version): Version {
    let least = served;
    for (const { name, uid, asOf } of this.#underWay) if (asOf < least && this.#hasEnded(name, uid)) least = asOf;
    return least;
  }

  /** Uids of deleted definitions of whose kinds objects are still being created. */
  get held(): string[] {
    return [...new Set([...this.#underWay].filter(({ name, uid }) => this.#hasEnded(name, uid)).map(({ uid }) => uid))];
  }

  #hasEnded(name: string, uid: string): boolean {
    const definition = this.known.definitions.get(name);
    return definition?.uid !== uid || definition.isTerminating;
  }
}
