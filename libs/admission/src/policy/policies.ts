import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '@orch/machinery';
import { Matcher } from '../matching/match.js';
import { Definition } from './definition.js';
import { ParamChoice } from './param-lookup.js';
import { type BindingSpec, criteriaOf, type PolicySpec } from './stored-policy.js';

/** Where a policy holds, and what it does there. */
export class Binding {
  /** Undefined where it holds wherever the policy does. */
  readonly matcher: Matcher | undefined;
  readonly actions: readonly string[];
  /** Undefined where the policy is told by nothing. */
  readonly params: ParamChoice | undefined;

  constructor(
    readonly name: string,
    readonly spec: BindingSpec,
  ) {
    this.matcher = spec.matchResources && new Matcher(criteriaOf(spec.matchResources));
    this.actions = spec.validationActions ?? [];
    this.params = spec.paramRef && new ParamChoice(spec.paramRef);
  }
}

/** A policy with what binds it, by name. */
export interface BoundPolicy {
  readonly definition: Definition;
  readonly matcher: Matcher;
  readonly bindings: readonly Binding[];
}

/** Joins policies and bindings, by the names of these. What stayed the same is not made anew. */
export class Policies {
  #definitions = new Map<string, Definition>();
  #bindings = new Map<string, Binding>();

  /** @param defined hears of each policy that comes to be known */
  constructor(private readonly defined: () => void) {}

  /** Those that may have something to say: without bindings only what is wrong with the kind of their parameters. */
  of(policies: Iterable<ApiObject>, bindings: Iterable<ApiObject>): readonly BoundPolicy[] {
    const before = this.#definitions;
    this.#definitions = kept(policies, before, (name, spec: PolicySpec) => new Definition(name, spec));
    for (const name of this.#definitions.keys()) if (!before.has(name)) this.defined();
    this.#bindings = kept(bindings, this.#bindings, (name, spec: BindingSpec) => new Binding(name, spec));
    const bound = new Map<string, Binding[]>();
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

/** Objects by name, made of their specs. */
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
