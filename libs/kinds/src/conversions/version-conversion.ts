import type { ApiObject, Names } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';

/** Things that a conversion may look at beside the object. */
export interface ConversionTools {
  readonly names: Names;
  /** The schema of the kind's hub. */
  readonly schema: StructSchema;
}

/** Makes a new object, which may share parts with the one given; that one is left as it is. */
export type Conversion = (object: ApiObject, tools: ConversionTools) => ApiObject;

/**
 * How versions of kinds differ from the one version in which the rules of the kind are written, its hub. All in canonical
 * names. apiVersion and kind of the object are no business of the functions; a version without them has the form of its hub.
 */
export interface VersionConversion {
  /** Such as `extensions/v1beta1`. */
  readonly version: string;
  /** The kinds of which this is said, such as `Deployment`; so they are called in the hub, too. */
  readonly kinds: readonly string[];
  /** Such as `apps/v1`. */
  readonly hub: string;
  /** What objects of the version are brought to where nobody says; the default is the hub. */
  readonly successor?: string;
  readonly toHub?: Conversion;
  readonly fromHub?: Conversion;
  /** Writes out what the version meant by fields that are not set, where the hub means something else by that. */
  readonly defaults?: Conversion;
}
