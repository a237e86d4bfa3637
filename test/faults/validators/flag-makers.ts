import type { Change } from '../model/history.js';
import type { Read, Write } from '../model/records.js';
import type { Sighting } from './linearizable.js';

/** When a client had evidence of a version, or of a later one. */
interface Evidence {
  readonly version: number;
  readonly at: number;
}

/**
 * Finds the writes that made the changes of one object which leave its stamp alone. A flag write that finds nothing to change is
 * answered with the version that stands, as is the one that made it: so a write that was answered with a version has made it only
 * if it began before anybody knew of that version. Otherwise one of unknown outcome did.
 */
export class FlagMakers {
  readonly #acknowledged = new Map<number, Write>();
  readonly #unknown: readonly Write[];
  /** The highest version first. */
  readonly #evidence: readonly Evidence[];

  constructor(writes: readonly Write[], reads: readonly Read[], sightings: readonly Sighting[]) {
    const flags = writes.filter(({ call }) => call === 'flag').sort((a, b) => a.start - b.start);
    for (const write of flags) {
      const { outcome } = write;
      // Of several that were answered with the same version the first to begin may be taken for the one that made it.
      if (outcome.at === 'committed' && !this.#acknowledged.has(outcome.version))
        this.#acknowledged.set(outcome.version, write);
    }
    this.#unknown = flags.filter(({ outcome }) => outcome.at === 'unknown');
    this.#evidence = [
      ...sightings,
      ...reads.flatMap(({ found, end }) => (found ? [{ version: found.version, at: end }] : [])),
      ...writes.flatMap(({ outcome, end }) =>
        outcome.at === 'committed' ? [{ version: outcome.version, at: end }] : [],
      ),
    ].sort((a, b) => b.version - a.version);
  }

  /** The write that made a change; where none can have, the one that was answered with its version. */
  of({ version, state }: Change, taken: ReadonlySet<Write>): Write | undefined {
    const known = this.#knownAt(version);
    const canBe = (write: Write) => write.flag === state.flag && write.start <= known && !taken.has(write);
    const answered = this.#acknowledged.get(version);
    return answered && canBe(answered) ? answered : (this.#unknown.find(canBe) ?? answered);
  }

  /** The first moment at which somebody knew that the version existed. */
  #knownAt(version: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const evidence of this.#evidence) {
      if (evidence.version < version) break;
      first = Math.min(first, evidence.at);
    }
    return first;
  }
}
