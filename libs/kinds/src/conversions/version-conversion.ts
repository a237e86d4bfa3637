import type { ApiObject, Names } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';

/** Data that a conversion may use beside the object. */
export interface ConversionTools {
  /** Names of the installation. */
  readonly names: Names;
  /** The schema of the kind's hub. */
  readonly schema: StructSchema;
}

/** Returns a converted object, which may share parts with the given one; that one is not changed. */
export type Conversion = (object: ApiObject, tools: ConversionTools) => ApiObject;

/**
 * Describes how a version of kinds differs from their hub, the version in which their rules are written. All in
 * canonical names. The functions need not set apiVersion and kind; a version without functions has the form of its hub.
 */
export interface VersionConversion {
  /** apiVersion of the version, such as `extensions/v1beta1`. */
  readonly version: string;
  /** The kinds that this concerns, such as `Deployment`; they have the same names in the hub. */
  readonly kinds: readonly string[];
  /** apiVersion of the hub, such as `apps/v1`. */
  readonly hub: string;
  /** Default target of conversions from the version; by default the hub. */
  readonly successor?: string;
  /** Converts to the hub. */
  readonly toHub?: Conversion;
  /** Converts from the hub. */
  readonly fromHub?: Conversion;
  /** Writes out the version's defaults for unset fields, where the hub has different ones. */
  readonly defaults?: Conversion;
}
