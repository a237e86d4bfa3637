import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '@orch/machinery';
import { Matcher } from '../matching/match.js';
import { PolicyDefinition } from './definition.js';
import { ParamChoice } from './param-lookup.js';
import { type BindingSpec, criteriaOf, type PolicySpec } from './stored-policy.js';

/** A binding of a policy: the requests it applies to, and the actions taken for failed validations. */
export class PolicyBinding {
  /** Matches requests; undefined for all that the policy matches. */
  readonly matcher: Matcher | undefined;
  /** Actions for failed validations: `Deny`, `Audit`, `Warn`. */
  readonly actions: readonly string[];
  /** Parameters of the policy; undefined for none. */
  readonly params: ParamChoice | undefined;

  /**
   * @param name name of the binding
   * @param spec its spec, as it is stored
   */
  constructor(
    readonly name: string,
    readonly spec: BindingSpec,
  ) {
    this.matcher = spec.matchResources && new Matcher(criteriaOf(spec.matchResources));
    this.actions = spec.validationActions ?? [];
    this.params = spec.paramRef && new ParamChoice(spec.paramRef);
  }
}

/** A policy with its bindings, sorted by name. */
export interface BoundPolicy {
  /** The policy. */
  readonly definition: PolicyDefinition;
  /** Matches requests by the constraints of the policy. */
  readonly matcher: Matcher;
  /** Its bindings. */
  readonly bindings: readonly PolicyBinding[];
}

/** Joins policies and bindings by name. Prepared forms of unchanged objects are reused. */
export class Policies {
  #definitions = new Map<string, PolicyDefinition>();
  #bindings = new Map<string, PolicyBinding>();

  /** @param defined called for each new policy */
  constructor(private readonly defined: () => void) {}

  /**
   * Returns the policies that can affect requests. One without bindings can only report that the kind of its parameters
   * is unknown.
   */
  of(policies: Iterable<ApiObject>, bindings: Iterable<ApiObject>): readonly BoundPolicy[] {
    const before = this.#definitions;
    this.#definitions = kept(policies, before, (name, spec: PolicySpec) => new PolicyDefinition(name, spec));
    for (const name of this.#definitions.keys()) if (!before.has(name)) this.defined();
    this.#bindings = kept(bindings, this.#bindings, (name, spec: BindingSpec) => new PolicyBinding(name, spec));
    const bound = new Map<string, PolicyBinding[]>();
    for (const binding of this.#bindings.values()) {
      const policy = binding.spec.policyName ?? '';
      const others = bound.get(policy);
      if (others) others.push(binding);
      else bound.set(policy, [binding]);
    }
    return [...this.#definitions.values()]
      .map((definition) => ({
        definition,
        matcher: definition.matcher,
        bindings: bound.get(definition.name) ?? [],
      }))
      .filter(({ definition: { paramKind }, bindings: its }) => its.length > 0 || paramKind !== undefined);
  }
}

/** Returns the prepared objects, sorted by name; one with an unchanged spec is reused. */
function kept<S, T extends { readonly name: string; readonly spec: S }>(
  objects: Iterable<ApiObject>,
  before: ReadonlyMap<string, T>,
  make: (name: string, spec: S) => T,
): Map<string, T> {
  const named = [...objects].map(({ metadata, spec }): [string, S] => [metadata?.name ?? '', (spec ?? {}) as S]);
  named.sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    named.map(([name, spec]) => {
      const known = before.get(name);
      return [name, known && isDeepStrictEqual(known.spec, spec) ? known : make(name, spec)];
    }),
  );
}
