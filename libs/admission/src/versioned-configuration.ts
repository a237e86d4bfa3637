/** A kind of configuration in files, with the supported versions. */
interface ConfigurationKind {
  /** With the specification's domain: `eventratelimit.admission.orch.io`. Files of either set of names are read. */
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
}

/** Members of a configuration. */
export type ConfigurationFields = Readonly<Record<string, unknown>>;

/**
 * Returns the members of a configuration except for `apiVersion` and `kind`.
 * @param known names of the members
 * @throws Error for another group, version or kind, and for unknown members
 */
export function readConfiguration(
  value: unknown,
  expected: ConfigurationKind,
  known: readonly string[],
): ConfigurationFields {
  const { apiVersion, kind, ...members } = membersOf(value, expected.kind);
  const shown = JSON.stringify(value);
  if (typeof kind !== 'string' || kind === '') throw new Error(`Object 'Kind' is missing in '${shown}'`);
  if (typeof apiVersion !== 'string' || apiVersion === '')
    throw new Error(`Object 'apiVersion' is missing in '${shown}'`);
  const groups = [expected.group, expected.group.replace(/orch\.io$/, 'k8s.io')];
  const versions = groups.flatMap((group) => expected.versions.map((version) => `${group}/${version}`));
  if (kind !== expected.kind || !versions.includes(apiVersion))
    throw new Error(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return onlyKnown(members, known, '');
}

/** Returns the members of an object. @throws Error for another value */
export function membersOf(value: unknown, what: string): ConfigurationFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is not an object`);
  return value as ConfigurationFields;
}

/** @throws Error for members that are not among those that are known */
export function onlyKnown(members: ConfigurationFields, known: readonly string[], path: string): ConfigurationFields {
  const unknown = Object.keys(members).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`strict decoding error: ${unknown.map((name) => `unknown field "${path}${name}"`).join(', ')}`);
  return members;
}

/** Returns a member that is a text; '' if it is absent. @throws Error for another value */
export function textOf(members: ConfigurationFields, name: string, path = ''): string {
  const value = members[name] ?? '';
  if (typeof value !== 'string') throw new Error(`${path}${name} must be a string`);
  return value;
}

/** Returns a member that is a list; an empty one if it is absent. @throws Error for another value */
export function listOf(members: ConfigurationFields, name: string, path = ''): readonly unknown[] {
  const value = members[name] ?? [];
  if (!Array.isArray(value)) throw new Error(`${path}${name} must be a list`);
  return value;
}

/** Returns a member that is an integer of 32 bits; 0 if it is absent. @throws Error for another value */
export function integerOf(members: ConfigurationFields, name: string, path = ''): number {
  const value = members[name] ?? 0;
  if (typeof value !== 'number' || (value | 0) !== value) throw new Error(`${path}${name} must be a whole number`);
  return value;
}
