import { type CustomVersion, customVersions, kindRules, STANDARD_SETTINGS } from '@orch/kinds';
import { type ApiObject, copy, type FieldError, type JsonObject, namesOf, StatusError } from '@orch/machinery';
import { fillDefaults, fillThere, loadScheme, normalizeObject, SchemaPool, TooManyDefaults } from '@orch/schema';
import type { HostileCase } from './generated.js';
import { apply, own } from './owners.js';
import type { LongestStep } from './steps.js';

const NAMES = namesOf('kubernetes');
const SCHEME = loadScheme(NAMES);
const DEFINITION = SCHEME.resources.find(
  ({ resource, version }) => resource === 'customresourcedefinitions' && version === 'v1',
);
/** Settings with which the definitions of one server are read. */
const settings = { ...STANDARD_SETTINGS, pool: new SchemaPool() };
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** The outcome of a case. */
export type Judged = 'definition refused' | 'object refused' | 'object taken';

/** Takes a definition and an object the way that a server does, and counts the steps. What cannot be read is no hostile case. */
export async function judge(hostile: HostileCase, longest: LongestStep): Promise<Judged> {
  const { definition } = hostile;
  const isRefused = judgeDefinition(definition, longest);
  const [version] = longest.one('versions', () => customVersions(definition, NAMES, settings));
  if (!version) throw new Error('the definition has no version');
  // One that is refused is tried too: an earlier release may have stored it.
  const judged = await judgeObject(hostile, version, longest);
  return isRefused ? 'definition refused' : judged;
}

/** Whether a new definition is refused. One that is stored is updated as well. */
function judgeDefinition(definition: JsonObject, longest: LongestStep): boolean {
  if (!DEFINITION) throw new Error('there is no kind of definitions');
  const rules = kindRules(DEFINITION, NAMES, settings);
  const errors = judged(longest, 'definition', () => rules.validateCreate(definition as ApiObject));
  const spec = definition.spec as JsonObject;
  const next = { ...definition, spec: { ...spec, names: { ...(spec.names as JsonObject), categories: ['all'] } } };
  judged(longest, 'definition again', () => rules.validateUpdate(next as ApiObject, definition as ApiObject));
  return errors.length > 0;
}

async function judgeObject(
  { before, after }: HostileCase,
  version: CustomVersion,
  longest: LongestStep,
): Promise<Judged> {
  const schema = longest.one('schema', () => version.schema());
  const old = longest.one('copy', () => copy(before)) as ApiObject;
  const next = longest.one('copy', () => copy(after)) as ApiObject;
  for (const each of [old, next]) longest.all('normalize', normalizeObject(each as JsonObject, schema));
  const isWithin = fills(longest, () => fillDefaults(old, schema));
  fills(longest, () => fillThere(next, schema));
  const errors = judged(longest, 'object', () => version.rules.validateCreate(old));
  // One that is refused is changed too: its definition may have asked for less.
  const worse = judged(longest, 'update', () => version.rules.validateUpdate(next, old));
  for (const each of [old, next]) longest.one('row', () => version.rules.cells(each, NOW));
  if (!isWithin || errors.length + worse.length > 0) return 'object refused';
  const owned = await own(version, SCHEME, [old, next], longest);
  await apply(version, SCHEME, owned, longest);
  judged(longest, 'removal', () =>
    version.rules.validateUpdate({ ...next, metadata: { ...next.metadata, finalizers: [] } }, next),
  );
  return 'object taken';
}

/** Whether there is room for the defaults. */
function fills(longest: LongestStep, steps: () => Iterator<undefined, unknown>): boolean {
  try {
    longest.all('defaults', steps());
    return true;
  } catch (error) {
    if (error instanceof TooManyDefaults) return false;
    throw error;
  }
}

function judged(longest: LongestStep, name: string, errors: () => Iterable<FieldError[]>): FieldError[] {
  try {
    return longest.all(name, errors()[Symbol.iterator]()).yielded.flat();
  } catch (error) {
    if (error instanceof StatusError) return [];
    throw error;
  }
}
