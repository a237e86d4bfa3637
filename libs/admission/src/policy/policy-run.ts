import { type Activation, jsonValue, NAMESPACE_VARIABLE } from '@orch/expressions';
import { type ApiObject, parseApiVersion, StatusError } from '@orch/machinery';
import type { FollowedNamespaces } from '../matching/followed-namespaces.js';
import type { MatchWorld, SentAs } from '../matching/match.js';
import { outOfTime } from '../webhook/refusals.js';
import type { AskedRequest } from './asked-request.js';
import type { CompiledPolicy, PolicyDefinition } from './definition.js';
import { type Denial, denied } from './denial.js';
import { Evaluation } from './evaluation.js';
import { Judge, type Judgement, type PolicyDecision } from './judgement.js';
import { AuditAnnotations, failureNote } from './notes.js';
import { ParamLookup } from './param-lookup.js';
import type { BoundPolicy, PolicyBinding } from './policies.js';
import type { PolicyObserver } from './policy-metrics.js';
import type { ParamKind, PolicyServices } from './policy-services.js';

/** Dependencies of the evaluation of policies. */
export interface PolicyTools {
  /** Facts about the installation for matching. */
  readonly world: MatchWorld;
  /** Reads the namespace of a request. */
  readonly namespaces: Pick<FollowedNamespaces, 'find'>;
  /** Host of the plugin. */
  readonly services: PolicyServices;
  /** Counts outcomes. */
  readonly observer: PolicyObserver;
  /** Key of the audit annotation for validations that do not hold. */
  readonly failureKey: string;
}

/** A single evaluation without parameters, for a binding that selects none or a policy that has none. */
const NO_PARAMS: readonly (ApiObject | undefined)[] = [undefined];

/**
 * The evaluation of one request by all policies that may match it (k8s.io/apiserver,
 * pkg/admission/plugin/validatingadmissionpolicy/controller.go).
 */
export class PolicyRun {
  readonly #denials: Denial[] = [];
  #hasNotedFailure = false;
  readonly #params: ParamLookup;

  constructor(
    private readonly request: AskedRequest,
    private readonly tools: PolicyTools,
  ) {
    this.#params = new ParamLookup(request.attributes, tools.services.params);
  }

  /** Evaluates one policy with all its bindings, and keeps its denials. */
  async hear(policy: BoundPolicy): Promise<void> {
    const { definition, bindings } = policy;
    const { attributes } = this.request;
    const { world, services } = this.tools;
    const sentAs = await this.#tried(definition, undefined, () => definition.matcher.match(attributes, world));
    if (!sentAs) return;
    const { paramKind } = definition;
    if (paramKind && services.params.isNamespaced(paramKind) === undefined) {
      this.#unusable(
        definition,
        undefined,
        `failed to find resource referenced by paramKind: '${kindText(paramKind)}'`,
      );
      return;
    }
    const notes = new AuditAnnotations();
    for (const binding of bindings) await this.#bound(definition, binding, sentAs, notes);
    notes.publish(definition.name, attributes);
  }

  /** Ends the evaluation. @throws StatusError for the first denial */
  conclude(): void {
    const [first] = this.#denials;
    if (first) throw denied(this.request.attributes, first);
  }

  async #bound(
    definition: PolicyDefinition,
    binding: PolicyBinding,
    sentAs: SentAs,
    notes: AuditAnnotations,
  ): Promise<void> {
    const { attributes } = this.request;
    const { world } = this.tools;
    const { matcher } = binding;
    if (matcher && !(await this.#tried(definition, binding, () => matcher.match(attributes, world)))) return;
    const [kind, choice] = [definition.paramKind, binding.params];
    const named = kind && choice && (await this.#tried(definition, binding, () => this.#params.find(kind, choice)));
    if (kind && choice && !named) return;
    const compiled = await definition.compiled();
    for (const each of named ?? NO_PARAMS) {
      if (performance.now() >= attributes.deadline) throw outOfTime();
      const variables = await this.#tried(definition, binding, () => this.#variables(definition, sentAs, each));
      if (!variables) return;
      this.#enforce(definition, binding, await this.#judged(definition, compiled, variables), notes);
    }
  }

  #judged(definition: PolicyDefinition, compiled: CompiledPolicy, variables: Activation): Promise<Judgement> {
    const { asked, turns } = this.request;
    const failed = () => this.tools.services.conditionFailed(definition.name);
    const evaluation = new Evaluation(variables, asked, turns, compiled.variables);
    return new Judge(definition, compiled, failed).judge(evaluation, (conditions) =>
      conditions.evaluateWith(variables, asked, turns),
    );
  }

  async #variables(definition: PolicyDefinition, sentAs: SentAs, params: ApiObject | undefined): Promise<Activation> {
    const namespace = definition.namesNamespace ? await this.#namespace() : undefined;
    try {
      const variables = await this.request.variables(sentAs, params);
      return namespace === undefined ? variables : new Map([...variables, [NAMESPACE_VARIABLE, jsonValue(namespace)]]);
    } catch (error) {
      throw new StatusError('InternalError', `failed to convert object version: ${(error as Error).message}`);
    }
  }

  /**
   * Returns the namespace of the request; null for cluster-scoped objects and for namespaces.
   * @throws StatusError 404
   */
  async #namespace(): Promise<ApiObject | null> {
    const { namespace, group, resource } = this.request.attributes;
    const isNamespace = group === '' && resource === 'namespaces';
    return namespace === '' || isNamespace ? null : this.tools.namespaces.find(namespace);
  }

  /** Runs work and attributes its failure to the policy, or to the binding. */
  async #tried<T>(
    definition: PolicyDefinition,
    binding: PolicyBinding | undefined,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#unusable(definition, binding, error.message);
      return undefined;
    }
  }

  #unusable(definition: PolicyDefinition, binding: PolicyBinding | undefined, why: string): void {
    if (definition.ignoresFailure) return;
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${why}`;
    this.#denials.push({ policy: definition.name, binding: binding?.name, message, reason: '' });
  }

  #enforce(
    definition: PolicyDefinition,
    binding: PolicyBinding,
    { decisions, notes: noted }: Judgement,
    notes: AuditAnnotations,
  ): void {
    for (const [at, decision] of decisions.entries()) this.#carryOut(definition, binding, decision, at);
    for (const { key, value, error, milliseconds } of noted) {
      if (value !== undefined) notes.add(key, value);
      // A failed annotation denies whatever the actions of the binding.
      if (error !== undefined) this.#deny(definition, binding, { message: error, reason: '', milliseconds });
    }
  }

  #carryOut(definition: PolicyDefinition, binding: PolicyBinding, decision: PolicyDecision, at: number): void {
    const { observer } = this.tools;
    const { attributes } = this.request;
    const { message, milliseconds } = decision;
    const [policy, by] = [definition.name, binding.name];
    if (decision.admits) {
      if (decision.failed) observer.enforced(policy, by, 'allow', milliseconds);
      return;
    }
    for (const action of binding.actions) {
      if (action === 'Deny') this.#deny(definition, binding, decision);
      if (action === 'Audit') {
        this.#noteFailure(failureNote(binding, at, message));
        observer.enforced(policy, by, 'audit', milliseconds);
      }
      if (action === 'Warn') {
        const told = `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${by}': ${message}`;
        attributes.warn(told);
        observer.enforced(policy, by, 'warn', milliseconds);
      }
    }
  }

  /** Adds the annotation of a failure. The first one stays, as annotations of the reference cannot be overwritten. */
  #noteFailure(note: string): void {
    if (!this.#hasNotedFailure) this.request.attributes.annotate(this.tools.failureKey, note);
    this.#hasNotedFailure = true;
  }

  #deny(
    { name: policy }: PolicyDefinition,
    { name: binding }: PolicyBinding,
    { message, reason, milliseconds }: Pick<PolicyDecision, 'message' | 'reason' | 'milliseconds'>,
  ): void {
    this.#denials.push({ policy, binding, message, reason });
    this.tools.observer.enforced(policy, binding, 'deny', milliseconds);
  }
}

/** Returns a kind as the reference writes it. */
function kindText({ apiVersion, kind }: ParamKind): string {
  const parsed = parseApiVersion(apiVersion);
  return `${parsed?.group ?? ''}/${parsed?.version ?? ''}, Kind=${kind}`;
}
