import { readFile } from 'node:fs/promises';
import { decodeYamlObject } from '@orch/codec';
import { dnsSubdomainErrors, type FieldError, invalidValue, notSupported, required } from '@orch/machinery';
import type { Scheme } from '@orch/schema';
import type { GroupResources, Policy, PolicyRule } from '@orch/schema/types/audit/v1';

export type { GroupResources, Policy, PolicyRule };

/** Levels of recording, in ascending order. */
const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** Level of a rule, of {@link LEVELS}. */
export type AuditLevel = (typeof LEVELS)[number];

/** Stages of a request at which events are recorded. */
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
/** Stage of a request, of {@link STAGES}. */
export type AuditStage = (typeof STAGES)[number];

/** Thrown for an unusable policy; the message is the reference's, if it has one. */
class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

/** A policy, and problems of its file. */
interface LoadedPolicy {
  /** The validated policy. */
  readonly policy: Policy;
  /** Unknown and repeated fields, which are ignored as in the reference. */
  readonly problems: readonly string[];
}

/** Reads the file of `--audit-policy-file`. @throws PolicyError */
export async function loadPolicy(file: string, scheme: Scheme): Promise<LoadedPolicy> {
  let text: Buffer;
  try {
    text = await readFile(file);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new PolicyError(`loading audit policy file: failed to read file path ${JSON.stringify(file)}: ${why}`, {
      cause,
    });
  }
  try {
    return parsePolicy(text, scheme);
  } catch (cause) {
    throw new PolicyError(`loading audit policy file: ${(cause as Error).message}: from file ${file}`, { cause });
  }
}

/** @throws PolicyError */
export function parsePolicy(text: Buffer | string, scheme: Scheme): LoadedPolicy {
  const { object, problems } = decoded(text, scheme);
  const { apiVersion = '', kind = '' } = object;
  if (apiVersion !== policyVersion(scheme) || kind !== 'Policy') {
    const [shownKind, shownVersion] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
    throw new PolicyError(`failed decoding: no kind ${shownKind} is registered for version ${shownVersion}`);
  }
  const policy = object as Policy;
  const errors = validatePolicy(policy).map(({ field, message }) => `${field}: ${message}`);
  if (errors.length > 0) throw new PolicyError(errors.length === 1 ? String(errors[0]) : `[${errors.join(', ')}]`);
  if ((policy.rules ?? []).length === 0) throw new PolicyError('loaded illegal policy with 0 rules');
  return { policy, problems };
}

const policyVersion = ({ names }: Scheme): string => `${names.group('audit.orch.io')}/v1`;

function decoded(text: Buffer | string, scheme: Scheme) {
  try {
    return decodeYamlObject(scheme.struct('audit/v1.Policy'), text);
  } catch (cause) {
    throw new PolicyError(`failed decoding: ${(cause as Error).message}`, { cause });
  }
}

/** Returns all errors of a policy (as `ValidatePolicy` of the reference). */
export function validatePolicy({ omitStages = [], rules = [] }: Policy): FieldError[] {
  return [...stageErrors(omitStages, 'omitStages'), ...rules.flatMap((rule, at) => ruleErrors(rule, `rules[${at}]`))];
}

function ruleErrors(rule: PolicyRule, path: string): FieldError[] {
  const { level = '', nonResourceURLs = [], resources = [], namespaces = [], omitStages = [] } = rule;
  const errors = [
    ...levelErrors(level, `${path}.level`),
    ...urlErrors(nonResourceURLs, `${path}.nonResourceURLs`),
    ...resources.flatMap((each) => resourceErrors(each, `${path}.resources`)),
    ...stageErrors(omitStages, `${path}.omitStages`),
  ];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(invalidValue(`${path}.nonResourceURLs`, nonResourceURLs, why));
  }
  return errors;
}

function levelErrors(level: string, path: string): FieldError[] {
  if (level === '') return [required(path)];
  return LEVELS.some((known) => known === level) ? [] : [notSupported(path, level, LEVELS)];
}

function* urlErrors(urls: readonly string[], path: string): Generator<FieldError> {
  for (const [at, url] of urls.entries()) {
    if (url === '*') continue;
    if (!url.startsWith('/'))
      yield invalidValue(`${path}[${at}]`, url, "non-resource URL rules must begin with a '/' character");
    if (url.slice(0, -1).includes('*'))
      yield invalidValue(
        `${path}[${at}]`,
        url,
        "non-resource URL wildcards '*' must be the final character of the rule",
      );
  }
}

function resourceErrors(
  { group = '', resources = [], resourceNames = [] }: GroupResources,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = group === '' ? [] : dnsSubdomainErrors(group);
  if (wrong.length > 0) errors.push(invalidValue(`${path}.group`, group, wrong.join(',')));
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = 'using resourceNames requires at least one resource';
    errors.push(invalidValue(`${path}.resourceNames`, resourceNames, why));
  }
  return errors;
}

function stageErrors(stages: readonly string[], path: string): FieldError[] {
  return stages.flatMap((stage, at) =>
    STAGES.some((known) => known === stage)
      ? []
      : [invalidValue(`${path}[${at}]`, stage, `allowed stages are ${STAGES.join(',')}`)],
  );
}
