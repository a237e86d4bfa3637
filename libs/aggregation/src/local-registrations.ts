import type { Names } from '@orch/machinery';
import { type ServedGroup, type ServedSnapshot, weakMemo } from '@orch/resources';
import type { ResourceDescription } from '@orch/schema';
import type { Registration } from './registration.js';

/** The desired registration of a group-version that is served here. */
export interface LocalRegistration {
  /** Name of the APIService: `<version>.<group>`. */
  readonly name: string;
  /** API group; empty for the core group. */
  readonly group: string;
  /** Version of the group. */
  readonly version: string;
  /** Value of `groupPriorityMinimum`. */
  readonly groupPriority: number;
  /** Value of `versionPriority`. */
  readonly versionPriority: number;
  /** Whether it is created once after a start, so that it may be changed until the next, or kept as desired always. */
  readonly managed: typeof ON_START | typeof ALWAYS;
}

/** Values of the label of registrations that the server manages. */
const ON_START = 'onstart';
const ALWAYS = 'true';

/**
 * Makes the registrations of all group-versions that are served here, except that of registrations itself; those of
 * unchanged groups are made once.
 * @param isDeclared whether a resource is built in; others come with definitions
 */
export function localRegistrations(
  names: Names,
  isDeclared: (definition: ResourceDescription) => boolean,
): (snapshot: ServedSnapshot) => ReadonlyMap<string, LocalRegistration> {
  const own = names.group('apiregistration.orch.io');
  const ofGroup = weakMemo((served: ServedGroup) => registrationsOf(served, isDeclared));
  return weakMemo(({ groups }: ServedSnapshot) => {
    return new Map([...groups].flatMap(([group, served]) => (group === own ? [] : ofGroup(served))));
  });
}

function registrationsOf(
  served: ServedGroup,
  isDeclared: (definition: ResourceDescription) => boolean,
): readonly [string, LocalRegistration][] {
  const found = new Map<string, LocalRegistration>();
  for (const { description: definition } of served.values()) {
    if (!definition) continue;
    const { group, version, groupPriority, versionPriority } = definition;
    const name = `${version}.${group}`;
    const managed = isDeclared(definition) ? ON_START : ALWAYS;
    if (found.get(name)?.managed === ON_START) continue;
    found.set(name, { name, group, version, groupPriority, versionPriority, managed });
  }
  return [...found];
}

/** A write that brings a registration to its desired state. */
export type Syncing =
  | { readonly act: 'create' | 'update'; readonly wanted: LocalRegistration; readonly known?: Registration }
  | { readonly act: 'delete'; readonly known: Registration };

/** State since the start, for registrations that are only managed at a start. */
interface StartState {
  /** Names of the registrations that were there at the start. */
  readonly present: ReadonlySet<string>;
  /** Names of those that have been synchronized since. */
  readonly synced: ReadonlySet<string>;
}

/**
 * Decides how to bring one registration to its desired state; undefined for no write. A registration without the label
 * of the server belongs to others, and one that is managed at a start alone is not changed afterwards (kube-aggregator
 * v0.27.16, pkg/controllers/autoregister, has the table).
 */
export function syncing(
  wanted: LocalRegistration | undefined,
  known: Registration | undefined,
  name: string,
  { present, synced }: StartState,
): Syncing | undefined {
  if (wanted?.managed === ON_START && synced.has(name)) return undefined;
  if (!known) return wanted && { act: 'create', wanted };
  if (known.managed !== ON_START && known.managed !== ALWAYS) return undefined;
  if (known.managed === ON_START && (!present.has(name) || synced.has(name))) return undefined;
  if (!wanted) return { act: 'delete', known };
  return isAlike(wanted, known) ? undefined : { act: 'update', wanted, known };
}

const isAlike = (wanted: LocalRegistration, known: Registration): boolean =>
  known.service === undefined &&
  known.groupPriority === wanted.groupPriority &&
  known.versionPriority === wanted.versionPriority;
