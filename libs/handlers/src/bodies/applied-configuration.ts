import { duplicatePaths, type ParsedJson, TooManyValuesError, warningsOf, yamlProblems } from '@orch/codec';
import { type ApiObject, badRequest, type JsonObject, StatusError } from '@orch/machinery';
import { tooManyValues } from '@orch/resources';
import { turnFor } from '@orch/runtime/work';
import type { RequestContext } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { readingOf } from './decode-body.js';
import type { WriteOptions } from './write-options.js';

/** Applied configuration of a server-side apply. */
interface AppliedConfiguration {
  readonly object: JsonObject;
  /** Fields that stand twice, one text each. */
  readonly repeated: readonly string[];
}

/**
 * Reads the body of an apply, in YAML, of which JSON is a subset.
 * @throws StatusError 400 for a body that is no object, 413 for one of too many values
 */
export async function readApplied(deps: ApiDeps, ctx: RequestContext, bytes: Buffer): Promise<AppliedConfiguration> {
  const { limits, yaml, sender } = readingOf(deps, ctx);
  await turnFor(bytes.length);
  const { parsed, repeated } = await yaml.read(bytes, { maxValues: limits.maxValues }, sender).catch(asRefusal);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('error decoding YAML: it does not make an object');
  }
  ctx.audit?.decoded(value as ApiObject, bytes.length);
  return { object: value, repeated: [...yamlProblems(repeated), ...repeatedIn(parsed)] };
}

const repeatedIn = (parsed: ParsedJson): string[] =>
  duplicatePaths(parsed).map((path) => `key ${JSON.stringify(path)} already set in map`);

function asRefusal(error: unknown): never {
  if (error instanceof StatusError) throw error;
  if (error instanceof TooManyValuesError) throw tooManyValues(error.limit);
  throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : 'unreadable'}`);
}

/**
 * Applies the level of field validation to repeated fields (spec: "Field validation"); unknown ones do not fit the
 * schema, whatever the level is.
 * @throws StatusError 400 at level `Strict`
 */
export function refuseRepeated(
  { repeated }: AppliedConfiguration,
  { fieldValidation }: WriteOptions,
  warnings: string[],
): void {
  if (repeated.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeated.join(', ')}`);
  }
  warnings.push(...repeated.flatMap(warningsOf));
}
