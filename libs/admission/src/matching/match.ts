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

/** The resource and kind that a webhook or policy sees for a request; a subresource has a kind of its own. */
export interface SentAs {
  /** Value of `request.resource`. */
  readonly resource: ResourceVersion;
  /** Value of `request.kind`. */
  readonly kind: GroupVersionKind;
}

/** Criteria by which a webhook or a policy selects requests. */
export interface MatchCriteria {
  /** Rules in the order of evaluation; undefined matches every request. */
  readonly rules: readonly Rule[] | undefined;
  /** Rules that exclude a request if one of them matches. */
  readonly excludeRules?: readonly Rule[];
  /** `Equivalent` also matches the same objects in other versions and groups. */
  readonly matchPolicy: 'Exact' | 'Equivalent';
  /** Selects by the labels of the namespace. Undefined is not `{}`: it selects nothing, as in the reference. */
  readonly namespaceSelector: LabelSelectorObject | undefined;
  /** Selects by the labels of the new object, or the old one. Undefined selects nothing. */
  readonly objectSelector: LabelSelectorObject | undefined;
}

/** Facts about the installation that matching needs. */
export interface MatchWorld {
  /** Returns the resource and kind of a request in its own version. */
  own(target: Target): SentAs;
  /** Returns the same objects in other versions and groups, the resource itself left out. */
  equivalents(target: Target): readonly SentAs[];
  /** Returns the labels of a namespace. @throws StatusError 404 */
  namespaceLabels(name: string): Labels | Promise<Labels>;
}

/** The facts that rules alone need. */
export type RulesWorld = Pick<MatchWorld, 'own' | 'equivalents'>;

/** Labels of an object or a namespace. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Matches requests by the criteria of one webhook or policy (semantics of k8s.io/apiserver,
 * pkg/admission/plugin/webhook/generic).
 */
export class Matcher {
  readonly #namespaces: LabelSelector | SelectorError;
  readonly #objects: LabelSelector | SelectorError;

  constructor(private readonly criteria: MatchCriteria) {
    this.#namespaces = selector(criteria.namespaceSelector);
    this.#objects = selector(criteria.objectSelector);
  }

  /**
   * Returns whether the rules can match requests of this kind, regardless of names and selectors. The result can be
   * cached for each kind of request; the call is cheap enough for every request.
   */
  mayMean(target: Target, world: RulesWorld): boolean {
    const { rules, excludeRules = [] } = this.criteria;
    const excluding = excludeRules.filter(({ resourceNames = [] }) => resourceNames.length === 0);
    if (excluding.length > 0 && this.#meant(excluding, target, world)) return false;
    return rules === undefined || this.#meant(rules, target, world) !== undefined;
  }

  /** Returns the resource and kind to send if the selectors match too; undefined if no rule matches. */
  byRules(target: Target, world: RulesWorld): SentAs | undefined {
    const { rules, excludeRules = [] } = this.criteria;
    if (excludeRules.length > 0 && this.#meant(excludeRules, target, world, target.name)) return undefined;
    return rules === undefined ? world.own(target) : this.#meant(rules, target, world, target.name);
  }

  /**
   * Returns whether the labels of its namespace exclude a request; never so for objects that are neither namespaced nor
   * namespaces.
   */
  excludesNamespace(target: Target, labels: Labels): boolean {
    if (!this.asksNamespace(target) || this.#namespaces instanceof SelectorError) return false;
    return !this.#namespaces.matches(labels);
  }

  /** Returns whether the match depends on the namespace of a request. */
  asksNamespace({ namespace, resource }: Target): boolean {
    if (namespace === '' && resource !== 'namespaces') return false;
    return this.#namespaces instanceof SelectorError || !this.#namespaces.matchesEverything;
  }

  /**
   * Returns the resource and kind to send; undefined for a request that does not match. Errors of selectors are
   * reported only for requests that the rules match.
   * @throws StatusError 404 for a namespace that does not exist, 500 for invalid selectors
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

  #selectsObject({ operation, object, oldObject }: Attributes): boolean | StatusError {
    const selects = this.#objects;
    if (selects instanceof SelectorError) return internalError(selects.message);
    if (selects.matchesEverything) return true;
    // The options of a connection have no metadata, so that no label can be asked about, nor its absence.
    if (operation === 'CONNECT') return false;
    return [object, oldObject].some((each) => each !== undefined && selects.matches(each.metadata?.labels));
  }
}

/** Returns the labels of the namespace of a request; a namespace that is written has its own new labels. */
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
