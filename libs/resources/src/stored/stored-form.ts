import type { Conversions, Convert } from '@orch/kinds';
import { type ApiObject, formatApiVersion, type GroupVersionKind } from '@orch/machinery';
import type { Row } from '@orch/storage';

/** Defaulting of the versions of a kind. */
export interface Defaulting {
  /**
   * Number of the defaults of a version: equal if the same are filled in; stored with each body that has them, at most
   * 32767. 0 if there are none; undefined for an unknown version.
   */
  numberOf(version: string): number | undefined;
  /**
   * Fills in the defaults of a version and prunes fields that it does not have; does nothing for an unknown version.
   * Mutates.
   */
  fill(version: string, object: ApiObject): void;
  /** The same in steps, for versions with very many defaults. */
  fillInSteps?(version: string, object: ApiObject): Generator<undefined, void>;
}

/**
 * Versions in which the objects of a kind are stored. Rules are written for one version, the hub; new bodies are
 * written in one as well, which may be another; and bodies of any version are read. Bodies with fewer defaults than
 * today's get the missing ones.
 */
export class StoredForm {
  /** Converts an object from the hub to the version that bodies are written in; undefined if that is the hub. */
  readonly fromHub: Convert | undefined;
  readonly #toHub = new Map<string, Convert>();

  /**
   * @param version name of the version that bodies are written in, of the hub's group
   * @param opaque names of the members whose texts are preserved
   */
  constructor(
    private readonly conversions: Pick<Conversions, 'between'>,
    private readonly hub: GroupVersionKind,
    readonly version: string,
    private readonly defaulting: Defaulting,
    readonly opaque: readonly string[] = [],
  ) {
    const { kind } = hub;
    this.fromHub =
      version === hub.version
        ? undefined
        : conversions.between(formatApiVersion(hub), this.apiVersionOf(version), kind);
  }

  /** Number of the defaults that bodies in the written version are filled in with, as in a Row of the store. */
  get defaults(): number {
    return this.defaultsOf(this.version);
  }

  /** The same for bodies stored in another version. */
  defaultsOf(version: string): number {
    return this.defaulting.numberOf(version) ?? 0;
  }

  /** Whether the hub is the version that bodies are written in. */
  get writesHub(): boolean {
    return this.version === this.hub.version;
  }

  /** Version that a body is stored in. A body without one is in the hub, as written by earlier releases. */
  versionOf({ storedVersion }: Pick<Row, 'storedVersion'>): string {
    return storedVersion || this.hub.version;
  }

  /** Whether a body was filled in with the present defaults. */
  isFilled(stored: Pick<Row, 'storedVersion' | 'defaults'>): boolean {
    return stored.defaults === this.defaulting.numberOf(this.versionOf(stored));
  }

  /** Fills in the defaults that a stored body lacks, in the version that it is stored in. Mutates. */
  fill(stored: Pick<Row, 'storedVersion' | 'defaults'>, object: ApiObject): void {
    if (!this.isFilled(stored)) this.defaulting.fill(this.versionOf(stored), object);
  }

  /** Whether there may be very many defaults, which {@link fillInSteps} fills in. */
  get fillsInSteps(): boolean {
    return this.defaulting.fillInSteps !== undefined;
  }

  /** Fills in defaults as {@link fill} does, in steps if there may be many. */
  *fillInSteps(stored: Pick<Row, 'storedVersion' | 'defaults'>, object: ApiObject): Generator<undefined, void> {
    if (!this.defaulting.fillInSteps) this.fill(stored, object);
    else if (!this.isFilled(stored)) yield* this.defaulting.fillInSteps(this.versionOf(stored), object);
  }

  /**
   * Returns the conversion of an object of that version to the hub; undefined if it is the hub.
   * @throws ConversionError for a version that this release does not know
   */
  toHub(version: string): Convert | undefined {
    if (version === this.hub.version) return undefined;
    const known = this.#toHub.get(version);
    if (known) return known;
    const made = this.conversions.between(this.apiVersionOf(version), formatApiVersion(this.hub), this.hub.kind);
    this.#toHub.set(version, made);
    return made;
  }

  /** Group and version of a version of the kind. */
  apiVersionOf(version: string): string {
    return formatApiVersion({ group: this.hub.group, version });
  }
}
