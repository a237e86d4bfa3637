import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  builtInSchema,
  LATER_ENVIRONMENT,
  type StructuralSchema,
  typedAdmissionScope,
  typeFaults,
} from '@orch/expressions';
import { type GroupVersionKind, parseApiVersion } from '@orch/machinery';
import type { Scheme } from '@orch/schema';
import type { ServedResources } from '../served/served-resources.js';
import type { ServedSnapshot } from '../served/served-snapshot.js';

/** What a policy says, as far as types go. */
export interface CheckedPolicy {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: { readonly resourceRules?: readonly CheckedRule[] };
  readonly validations?: readonly { readonly expression: string }[];
}

interface CheckedRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
}

/** What is wrong with an expression by the types of what it is asked about. */
export interface ExpressionWarning {
  /** Where it stands in the policy. */
  readonly fieldRef: string;
  readonly warning: string;
}

export interface TypeCheckTools {
  readonly served: Pick<ServedResources, 'current'>;
  readonly scheme: Scheme;
}

/** Characters of warnings of one policy, beyond which no more are looked for: they stand in its status. */
const MOST_TEXT = 1 << 17;
/** Kinds that one rule is checked against. */
const MOST_KINDS = 10;

/**
 * Checks expressions against what is known of the kinds that a policy names (k8s.io/apiserver,
 * pkg/admission/plugin/validatingadmissionpolicy/typechecking.go; of custom kinds as well). Whatever it finds, the policy holds.
 */
export async function typeWarnings(
  policy: CheckedPolicy,
  { served, scheme }: TypeCheckTools,
): Promise<ExpressionWarning[]> {
  const { current } = served;
  const schemas = new KnownSchemas(current, scheme);
  const kinds = kindsOf(policy, current).flatMap((kind) => {
    const object = schemas.of(kind);
    return object ? [{ kind, object }] : [];
  });
  const params = paramsOf(policy, schemas);
  const warnings: ExpressionWarning[] = [];
  let length = 0;
  for (const [at, { expression }] of (policy.validations ?? []).entries()) {
    if (length > MOST_TEXT) break;
    const faults: string[] = [];
    for (const { kind, object } of kinds) {
      const found = typeFaults(expression, LATER_ENVIRONMENT, typedAdmissionScope({ object, params }));
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

/** The schemas of what is served, with what every object has. */
class KnownSchemas {
  constructor(
    private readonly served: ServedSnapshot,
    private readonly scheme: Scheme,
  ) {}

  /** Undefined for a kind that is not served, or of which nothing is known. */
  of({ group, version, kind }: GroupVersionKind): StructuralSchema | undefined {
    for (const { endpoint } of this.served.groups.get(group)?.values() ?? []) {
      const { definition, model } = endpoint;
      if (definition.version !== version || definition.kind !== kind) continue;
      if (model.struct) return builtInSchema(model.struct);
      return model.declared && this.#whole(model.declared as StructuralSchema);
    }
    return undefined;
  }

  #whole(declared: StructuralSchema): StructuralSchema {
    const text = { type: 'string' };
    const metadata = builtInSchema(this.scheme.struct('meta/v1.ObjectMeta'));
    return { ...declared, properties: { ...declared.properties, apiVersion: text, kind: text, metadata } };
  }
}

/** Nothing is known of a kind that is not served. */
function paramsOf({ paramKind }: CheckedPolicy, schemas: KnownSchemas): StructuralSchema | undefined {
  if (!paramKind) return undefined;
  const parsed = parseApiVersion(paramKind.apiVersion);
  return (parsed && schemas.of({ ...parsed, kind: paramKind.kind })) ?? {};
}

/** The kinds that rules name without stars, in order. */
function kindsOf({ matchConstraints }: CheckedPolicy, served: ServedSnapshot): GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const rule of matchConstraints?.resourceRules ?? [])
    for (const kind of kindsOfRule(rule, served)) kinds.set(kindText(kind), kind);
  return [...kinds.values()].sort(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

function kindsOfRule({ apiGroups = [], apiVersions = [], resources = [] }: CheckedRule, served: ServedSnapshot) {
  const isOpen = (name: string) => name.includes('*');
  if (apiGroups.some(isOpen) || apiVersions.some(isOpen)) return [];
  const named = resources.filter((resource) => !/[*/]/.test(resource));
  const found: GroupVersionKind[] = [];
  for (const group of [...apiGroups].sort(compare))
    for (const version of [...apiVersions].sort(compare))
      for (const resource of [...named].sort(compare)) {
        const endpoint = found.length < MOST_KINDS ? served.find(group, version, resource) : undefined;
        if (endpoint) found.push({ group, version, kind: endpoint.definition.kind });
      }
  return found;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const kindText = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;
