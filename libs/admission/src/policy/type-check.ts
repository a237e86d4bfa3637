import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  builtInSchema,
  type CelType,
  checkedType,
  composedScope,
  composedType,
  LATER_ENVIRONMENT,
  type SchemaProps,
  type Scope,
  typedAdmissionScope,
  typeFaults,
} from '@orch/expressions';
import { type GroupVersionKind, type JsonObject, parseApiVersion } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import type { Rule } from '../matching/rules.js';
import type { PolicySpec } from './stored-policy.js';

/** The members of a policy that type checking reads. */
export type CheckedPolicy = Pick<PolicySpec, 'paramKind' | 'matchConstraints' | 'validations' | 'variables'>;

/** A type error of an expression, given the types of its variables. */
interface ExpressionWarning {
  /** Path of the expression in the policy. */
  readonly fieldRef: string;
  readonly warning: string;
}

/**
 * Schema of the objects of a kind: the struct of a built-in kind, or the schema that a definition declares, with the
 * struct of metadata.
 */
export type KnownForm =
  | { readonly struct: StructSchema }
  | { readonly declared: JsonObject; readonly metadata: StructSchema };

/** Known kinds and their schemas. */
export interface KnownKinds {
  /** Returns the kind of a resource; undefined for one that is not served. */
  kindOf(group: string, version: string, resource: string): string | undefined;
  /** Returns the schema of a kind; undefined for a kind that is not served or has no schema. */
  formOf(kind: GroupVersionKind): KnownForm | undefined;
}

/** Most characters of the warnings of one policy, which are stored in its status; once exceeded, checking stops. */
const MOST_TEXT = 1 << 17;
/** Most kinds that one rule is checked against. */
const MOST_KINDS = 10;

/**
 * Checks the expressions of a policy against the schemas of the kinds that it names (k8s.io/apiserver,
 * pkg/admission/plugin/validatingadmissionpolicy/typechecking.go; of custom kinds as well). The policy is enforced
 * regardless of the warnings.
 */
export async function typeWarnings(policy: CheckedPolicy, known: KnownKinds): Promise<ExpressionWarning[]> {
  const kinds = await scopesOf(policy, known);
  const warnings: ExpressionWarning[] = [];
  let length = 0;
  for (const [at, { expression }] of (policy.validations ?? []).entries()) {
    if (length > MOST_TEXT) break;
    const faults: string[] = [];
    for (const { kind, scope } of kinds) {
      const found = typeFaults(expression, LATER_ENVIRONMENT, scope);
      if (found !== undefined) faults.push(`${kindText(kind)}: ${found}`);
      await nextTurn();
    }
    if (faults.length === 0) continue;
    const warning = faults.join('\n').slice(0, MOST_TEXT);
    length += warning.length;
    warnings.push({ fieldRef: `spec.validations[${at}].expression`, warning });
  }
  return warnings;
}

/** Returns the variables of validations for each kind. */
async function scopesOf(policy: CheckedPolicy, known: KnownKinds) {
  const params = paramsOf(policy, known);
  const scopes: { readonly kind: GroupVersionKind; readonly scope: Scope }[] = [];
  for (const kind of kindsOf(policy, known)) {
    const object = schemaOf(kind, known);
    if (!object) continue;
    scopes.push({ kind, scope: await withVariables(policy, typedAdmissionScope({ object, params })) });
  }
  return scopes;
}

/**
 * Adds the variables of the policy, each checked with those before it. An error in a variable is not reported for
 * expressions that use it.
 */
async function withVariables({ variables = [] }: CheckedPolicy, scope: Scope): Promise<Scope> {
  if (variables.length === 0) return scope;
  const types = new Map<string, CelType>();
  const composed = composedScope(scope, types);
  for (const { name, expression } of variables) {
    types.set(name, composedType(checkedType(expression, LATER_ENVIRONMENT, composed).type));
    await nextTurn();
  }
  return composed;
}

/** Returns the schema of a kind, with the members that every object has. */
function schemaOf(kind: GroupVersionKind, known: KnownKinds): SchemaProps | undefined {
  const form = known.formOf(kind);
  if (!form) return undefined;
  if ('struct' in form) return builtInSchema(form.struct);
  const text = { type: 'string' };
  const declared = form.declared as SchemaProps;
  const metadata = builtInSchema(form.metadata);
  return { ...declared, properties: { ...declared.properties, apiVersion: text, kind: text, metadata } };
}

/** Returns the schema of the parameters: an empty one for a kind that is not served, undefined without parameters. */
function paramsOf({ paramKind }: CheckedPolicy, known: KnownKinds): SchemaProps | undefined {
  if (!paramKind) return undefined;
  const parsed = parseApiVersion(paramKind.apiVersion);
  return (parsed && schemaOf({ ...parsed, kind: paramKind.kind }, known)) ?? {};
}

/** Returns the kinds that rules name without wildcards, sorted. */
function kindsOf({ matchConstraints }: CheckedPolicy, known: KnownKinds): GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const rule of matchConstraints?.resourceRules ?? [])
    for (const kind of kindsOfRule(rule, known)) kinds.set(kindText(kind), kind);
  return [...kinds.values()].sort(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

function kindsOfRule({ apiGroups = [], apiVersions = [], resources = [] }: Rule, known: KnownKinds) {
  const isOpen = (name: string) => name.includes('*');
  if (apiGroups.some(isOpen) || apiVersions.some(isOpen)) return [];
  const named = resources.filter((resource) => !/[*/]/.test(resource));
  const found: GroupVersionKind[] = [];
  for (const group of [...apiGroups].sort(compare))
    for (const version of [...apiVersions].sort(compare))
      for (const resource of [...named].sort(compare)) {
        const kind = found.length < MOST_KINDS ? known.kindOf(group, version, resource) : undefined;
        if (kind !== undefined) found.push({ group, version, kind });
      }
  return found;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const kindText = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;
