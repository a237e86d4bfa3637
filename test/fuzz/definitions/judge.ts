import { customVersions, kindRules, STANDARD_SETTINGS } from '@orch/kinds';
import { type ApiObject, copy, type FieldError, type JsonObject, namesOf, StatusError } from '@orch/machinery';
import { fillThere, loadScheme, normalizeObject, SchemaPool } from '@orch/schema';
import type { HostileCase } from './generated.js';
import type { LongestStep } from './steps.js';

const NAMES = namesOf('kubernetes');
const DEFINITION = loadScheme(NAMES).resources.find(
  ({ resource, version }) => resource === 'customresourcedefinitions' && version === 'v1',
);
/** What definitions of one server are read into. */
const settings = { ...STANDARD_SETTINGS, pool: new SchemaPool() };
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** What became of a case. */
export type Judged = 'definition refused' | 'object refused' | 'object taken';

/** Takes a definition and an object the way that a server does, and counts the steps. What cannot be read is no hostile case. */
export function judge({ definition, object }: HostileCase, longest: LongestStep): Judged {
  if (!DEFINITION) throw new Error('there is no kind of definitions');
  const rules = kindRules(DEFINITION, NAMES, settings);
  const wrong = longest.all('definition', rules.validateCreate(definition as ApiObject)[Symbol.iterator]()).yielded;
  const [version] = longest.one('versions', () => customVersions(definition, NAMES, settings));
  if (!version) throw new Error('the definition has no version');
  // One that is refused is tried too: an earlier release may have stored it.
  const schema = longest.one('schema', () => version.schema());
  const own = longest.one('copy', () => copy(object)) as ApiObject;
  longest.all('normalize', normalizeObject(own as Record<string, unknown>, schema));
  longest.all('defaults', fillThere(own, schema));
  const errors = judged(longest, 'object', () => version.rules.validateCreate(own));
  const changed = longest.one('copy', () => copy(own as JsonObject)) as ApiObject;
  judged(longest, 'update', () => version.rules.validateUpdate(changed, own));
  longest.one('row', () => version.rules.cells(own, NOW));
  if (wrong.flat().length > 0) return 'definition refused';
  return errors.length > 0 ? 'object refused' : 'object taken';
}

function judged(longest: LongestStep, name: string, errors: () => Iterable<FieldError[]>): FieldError[] {
  try {
    return longest.all(name, errors()[Symbol.iterator]()).yielded.flat();
  } catch (error) {
    if (error instanceof StatusError) return [];
    throw error;
  }
}
