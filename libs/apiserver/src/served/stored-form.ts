import type { Conversions, Convert } from '@orch/kinds';
import { formatApiVersion } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';

/**
 * In which versions the objects of a kind lie in the store. Rules are written for one version, the hub; new bodies are
 * written in one as well, which may be another; and what was written in any is read.
 */
export class StoredForm {
  /** Brings an object to the version that bodies are written in; undefined where that is the hub. */
  readonly fromHub: Convert | undefined;
  readonly #toHub = new Map<string, Convert>();

  /** @param version name of the version that bodies are written in, of the hub's group */
  constructor(
    private readonly conversions: Conversions,
    private readonly hub: ResourceDefinition,
    readonly version: string,
  ) {
    const { kind } = hub;
    this.fromHub =
      version === hub.version ? undefined : conversions.between(formatApiVersion(hub), this.#apiVersion(version), kind);
  }

  /** The version that a body lies in. One that does not say lies in the hub, as releases before stored it. */
  versionOf({ storedVersion }: { readonly storedVersion: string }): string {
    return storedVersion || this.hub.version;
  }

  /**
   * Brings an object of that version to the hub; undefined where it is the hub.
   * @throws ConversionError for a version that this release does not know
   */
  toHub(version: string): Convert | undefined {
    if (version === this.hub.version) return undefined;
    const known = this.#toHub.get(version);
    if (known) return known;
    const made = this.conversions.between(this.#apiVersion(version), formatApiVersion(this.hub), this.hub.kind);
    this.#toHub.set(version, made);
    return made;
  }

  #apiVersion(version: string): string {
    return formatApiVersion({ group: this.hub.group, version });
  }
}
