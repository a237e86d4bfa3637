import {
  type GroupVersionKind,
  type LabelSelector,
  type LabelSelectorObject,
  labelSelectorOf,
  SelectorError,
  StatusError,
} from '@orch/machinery';
import type { Attributes, Target } from '../attributes.js';
import { internalError } from './internal-error.js';
import { nameMatches, type ResourceVersion, type Rule, ruleMatches } from './rules.js';

/** A resource as it is sent to whoever asked for it, and the kind of what is sent: of a subresource its own. */
export interface SentAs {
  /** What `request.resource` says. */
  readonly resource: ResourceVersion;
  /** What `request.kind` says. */
  readonly kind: GroupVersionKind;
}

/** By what a webhook or a policy says which requests it is about. */
export interface MatchCriteria {
  /** In the order in which they are looked at; undefined for every request. */
  readonly rules: readonly Rule[] | undefined;
  /** Rules of which one that matches takes the request out. */
  readonly excludeRules?: readonly Rule[];
  /** `Equivalent` means the same objects in other versions and groups too. */
  readonly matchPolicy: 'Exact' | 'Equivalent';
  /** Undefined is not `{}`: it selects nothing, as in the reference. */
  readonly namespaceSelector: LabelSelectorObject | undefined;
  /** Looks at the new object, or the old one. Undefined selects nothing. */
  readonly objectSelector: LabelSelectorObject | undefined;
}

/** What has to be known of an installation for matching. */
export interface MatchWorld {
  /** As what a request is sent where nobody asks for another version. */
  own(target: Target): SentAs;
  /** The same objects in other versions and groups, the resource itself left out. */
  equivalents(target: Target): readonly SentAs[];
  /** Labels of a namespace. @throws StatusError 404 */
  namespaceLabels(name: string): Labels | Promise<Labels>;
}

/** What rules alone ask for. */
export type RulesWorld = Pick<MatchWorld, 'own' | 'equivalents'>;

export type Labels = Readonly<Record<string, string>>;

/** Matches requests as one webhook or policy wants (semantics of k8s.io/apiserver, pkg/admission/plugin/webhook/generic). */
export class Matcher {
  readonly #namespaces: LabelSelector | SelectorError;
  readonly #objects: LabelSelector | SelectorError;

  constructor(private readonly criteria: MatchCriteria) {
    this.#namespaces = selector(criteria.namespaceSelector);
    this.#objects = selector(criteria.objectSelector);
  }

  /**
   * Whether rules mean requests of this kind, whatever names and selectors say: what can be found out once for all of them. Cheap enough
   * for every request.
   */
  mayMean(target: Target, world: RulesWorld): boolean {
    const { rules, excludeRules = [] } = this.criteria;
    const excluding = excludeRules.filter(({ resourceNames = [] }) => resourceNames.length === 0);
    if (excluding.length > 0 && this.#meant(excluding, target, world)) return false;
    return rules === undefined || this.#meant(rules, target, world) !== undefined;
  }

  /** As what a request is sent if selectors let it through; undefined where no rule means it. */
  byRules(target: Target, world: RulesWorld): SentAs | undefined {
    const { rules, excludeRules = [] } = this.criteria;
    if (excludeRules.length > 0 && this.#meant(excludeRules, target, world, target.name)) return undefined;
    return rules === undefined ? world.own(target) : this.#meant(rules, target, world, target.name);
  }

  /** Whether the labels of the namespace of a request rule it out; of what is no namespaced object and no namespace they never do. */
  excludesNamespace(target: Target, labels: Labels): boolean {
    if (!this.asksNamespace(target) || this.#namespaces instanceof SelectorError) return false;
    return !this.#namespaces.matches(labels);
  }

  /** Whether it matters in which namespace a request is. */
  asksNamespace({ namespace, resource }: Target): boolean {
    if (namespace === '' && resource !== 'namespaces') return false;
    return this.#namespaces instanceof SelectorError || !this.#namespaces.matchesEverything;
  }

  /**
   * As what a request is sent; undefined where it is not meant. What is wrong with selectors is told only of requests that rules mean.
   * @throws StatusError 404 for a namespace that is not there, 500 for selectors that are none
   */
  async match(attributes: Attributes, world: MatchWorld): Promise<SentAs | undefined> {
    const sentAs = this.byRules(attributes, world);
    if (!sentAs) return undefined;
    const inNamespace = await this.#selectsNamespace(attributes, world);
    if (inNamespace === false) return undefined;
    const selected = this.#selectsObject(attributes);
    if (selected === false) return undefined;
    if (inNamespace instanceof StatusError) throw inNamespace;
    if (selected instanceof StatusError) throw selected;
    return sentAs;
  }

  /** @param name undefined for any */
  #meant(rules: readonly Rule[], target: Target, world: RulesWorld, name?: string): SentAs | undefined {
    const named = (rule: Rule) => name === undefined || nameMatches(rule, name);
    if (rules.some((rule) => ruleMatches(rule, target) && named(rule))) return world.own(target);
    if (this.criteria.matchPolicy !== 'Equivalent') return undefined;
    const equivalents = world.equivalents(target);
    for (const rule of rules) {
      const found = equivalents.find(({ resource }) => ruleMatches(rule, target, resource));
      if (found && named(rule)) return found;
    }
    return undefined;
  }

  async #selectsNamespace(attributes: Attributes, world: MatchWorld): Promise<boolean | StatusError> {
    if (!this.asksNamespace(attributes)) return true;
    if (this.#namespaces instanceof SelectorError) return internalError(this.#namespaces.message);
    try {
      return this.#namespaces.matches(await labelsFor(attributes, world));
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
  }

  #selectsObject({ object, oldObject }: Attributes): boolean | StatusError {
    const selects = this.#objects;
    if (selects instanceof SelectorError) return internalError(selects.message);
    if (selects.matchesEverything) return true;
    return [object, oldObject].some((each) => each !== undefined && selects.matches(each.metadata?.labels));
  }
}

/** Of a namespace that is written its own, as it is to be. */
function labelsFor(attributes: Attributes, world: MatchWorld): Labels | Promise<Labels> {
  const { resource, subresource, operation, namespace } = attributes;
  const isWritten = resource === 'namespaces' && subresource === '' && operation !== 'DELETE';
  return isWritten ? (attributes.object?.metadata?.labels ?? {}) : world.namespaceLabels(namespace);
}

function selector(object: LabelSelectorObject | undefined): LabelSelector | SelectorError {
  try {
    return labelSelectorOf(object);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}
