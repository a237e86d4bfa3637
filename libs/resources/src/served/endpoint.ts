import { type Conversions, type Convert, type KindRules, type KindSettings, kindRules } from '@orch/kinds';
import { formatApiVersion, type GroupResource, type Names } from '@orch/machinery';
import { deprecationWarning, type ResourceDefinition, type ResourceDescription } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import type { TypeDescription } from '@orch/watchcache';
import type { VersionStage } from '../conversion/version-stage.js';
import type { Stored } from '../stored/stored.js';
import type { StoredForm } from '../stored/stored-form.js';
import { type FieldManagers, fieldManagersOf, managedVersions } from './field-managers.js';
import { DeclaredModel, type ObjectModel } from './object-model.js';

/** Type of virtual resources, which perform an operation but store nothing (`definition.stored` is false). */
export const UNSTORED: TypeId = 0;

/** A served group, version and resource with its stored type and the rules of its kind. */
export interface Endpoint {
  /** Declaration of the resource in the served version. */
  readonly definition: ResourceDescription;
  /** Group and plural name, for errors and permissions. */
  readonly groupResource: GroupResource;
  /** Served `<group>/<version>`; the version alone in the core group. */
  readonly apiVersion: string;
  /**
   * Declaration in the version that objects are validated and, by default, stored in; the same object as `definition`
   * when that is this version.
   */
  readonly storage: ResourceDescription;
  /** `<group>/<version>` that objects are validated and stored in. */
  readonly storageApiVersion: string;
  /** Versions that stored objects may be in. */
  readonly form: StoredForm;
  /** Conversion between the served and the storage version; undefined if they are the same. */
  readonly conversion: Conversion | undefined;
  /** Warning that the version is deprecated; undefined if it is not. */
  readonly deprecation: string | undefined;
  /** Type that objects are stored under; {@link UNSTORED} for a virtual resource. */
  readonly type: TypeId;
  /** Rules of the served version: defaults, cells, selectable fields, scale. */
  readonly rules: KindRules;
  /** Rules of the storage version, which validate writes. */
  readonly storageRules: KindRules;
  /** Schema of objects in the served version. */
  readonly model: ObjectModel;
  /** Schema of objects in the version that writes are validated in. */
  readonly storageModel: ObjectModel;
  /** Returns how to read objects of another version of the kind, served or not; absent for custom kinds. */
  readonly otherVersion?: (apiVersion: string) => OtherVersion | undefined;
  /** Field managers (server-side apply) by subresource. */
  readonly fieldManagers: FieldManagers;
  /** Reads the attributes of a stored object that selectors match. */
  readonly description: TypeDescription;
  /** Converts objects through a webhook; absent for kinds that are converted in process. */
  readonly stage?: VersionStage;
  /** Called before an object is created, and may refuse it; absent if there is nothing to check. */
  readonly beginCreation?: BeginCreation;
}

/**
 * Permits creating an object. @returns a function to call when it was written, or was not
 * @throws StatusError when none may be created
 */
export type BeginCreation = () => Promise<() => CreationVerdict>;

/** Whether an object that was created may stay, or must be deleted again. */
export type CreationVerdict = 'keep' | 'take back';

/** Neither function modifies its argument. */
interface Conversion {
  readonly toStorage: Convert;
  readonly toServed: Convert;
}

/** Another version of a kind, in which an object may be written. */
export interface OtherVersion {
  /** Schema and rules of a declared version; objects of others are converted first and read as the result. */
  readonly declared?: {
    readonly model: ObjectModel;
    readonly rules: KindRules;
  };
  /** Does not modify its argument. */
  readonly toServed: Convert;
}

/**
 * Whether a stored body equals the object that the endpoint serves, except for its type, its version and younger
 * defaults.
 */
export const liesAsServed = ({ definition, storage, form }: Endpoint, stored: Stored): boolean =>
  definition.group === storage.group && definition.version === form.versionOf(stored);

/** Dependencies of an endpoint besides its definition. */
interface EndpointParts {
  readonly names: Names;
  readonly settings: KindSettings;
  readonly description: TypeDescription;
  readonly form: StoredForm;
  readonly conversions: Conversions;
  /** All declared versions of the kind: `managedFields` may refer to any of them. */
  readonly versions: readonly ResourceDefinition[];
}

/** Creates the endpoint of a declared kind in one served version. */
export function makeEndpoint(
  definition: ResourceDefinition,
  storage: ResourceDefinition,
  type: TypeId,
  { names, settings, description, form, conversions, versions }: EndpointParts,
): Endpoint {
  const [apiVersion, storageApiVersion] = [formatApiVersion(definition), formatApiVersion(storage)];
  const model = new DeclaredModel(definition, definition.schema);
  const managed = (version: ResourceDefinition) => ({
    model: version === definition ? model : new DeclaredModel(version, version.schema),
    resetFields: (subresource: string) => kindRules(version, names).resetFields(subresource),
  });
  const conversion = {
    toStorage: conversions.between(apiVersion, storageApiVersion, definition.kind),
    toServed: conversions.between(storageApiVersion, apiVersion, definition.kind),
  };
  return {
    definition,
    groupResource: { group: definition.group, resource: definition.resource },
    apiVersion,
    storage,
    storageApiVersion,
    form,
    conversion: storage === definition ? undefined : conversion,
    deprecation: deprecationWarning(definition),
    type,
    rules: kindRules(definition, names, settings),
    storageRules: kindRules(storage, names, settings),
    model,
    storageModel: storage === definition ? model : new DeclaredModel(storage, storage.schema),
    otherVersion: (other) => otherVersionOf(definition, other, { names, settings, conversions, versions }),
    fieldManagers: fieldManagersOf(definition, managedVersions(versions.map(managed)), (object, to) =>
      conversions.between(String(object.apiVersion), to, definition.kind)(object),
    ),
    description,
  };
}

function otherVersionOf(
  definition: ResourceDefinition,
  apiVersion: string,
  { names, settings, conversions, versions }: Pick<EndpointParts, 'names' | 'settings' | 'conversions' | 'versions'>,
): OtherVersion | undefined {
  const { kind } = definition;
  const served = formatApiVersion(definition);
  if (apiVersion === served || !conversions.reaches(apiVersion, served, kind)) return undefined;
  const found = versions.find((version) => formatApiVersion(version) === apiVersion);
  return {
    ...(found && {
      declared: { model: new DeclaredModel(found, found.schema), rules: kindRules(found, names, settings) },
    }),
    toServed: conversions.between(apiVersion, served, kind),
  };
}
