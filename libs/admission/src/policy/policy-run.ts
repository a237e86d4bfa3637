import { type Bindings, jsonValue, NAMESPACE_VARIABLE } from '@orch/expressions';
import { type ApiObject, parseApiVersion, StatusError } from '@orch/machinery';
import type { FollowedNamespaces } from '../matching/followed-namespaces.js';
import type { MatchWorld, SentAs } from '../matching/match.js';
import type { AskedRequest } from './asked-request.js';
import type { Definition } from './definition.js';
import { type Denial, denied } from './denial.js';
import { Evaluation } from './evaluation.js';
import { type Decision, Judge, type Judgement } from './judgement.js';
import { failureNote, Notes } from './notes.js';
import type { Binding, BoundPolicy } from './policies.js';
import type { PolicyObserver } from './policy-metrics.js';
import type { ParamKind, PolicySurroundings } from './policy-surroundings.js';

/** With what policies are carried out. */
export interface PolicyTools {
  readonly world: MatchWorld;
  readonly namespaces: Pick<FollowedNamespaces, 'find'>;
  readonly surroundings: PolicySurroundings;
  readonly observer: PolicyObserver;
  /** Key of what the audit log is told of what does not hold. */
  readonly failureKey: string;
}

/** Milliseconds for which a request waits for parameters, all together: a kind that cannot be loaded must not hold up every write to its end. */
const PARAMS_MS = 2_000;

/** One request before all policies that may mean it (k8s.io/apiserver, pkg/admission/plugin/validatingadmissionpolicy/controller.go). */
export class PolicyRun {
  readonly #denials: Denial[] = [];
  /** What is left of {@link PARAMS_MS}. */
  #patience = PARAMS_MS;

  constructor(
    private readonly request: AskedRequest,
    private readonly tools: PolicyTools,
  ) {}

  /** Hears one policy with all its bindings. */
  async hear(policy: BoundPolicy): Promise<void> {
    const { definition, bindings } = policy;
    const { attributes } = this.request;
    const { world, surroundings } = this.tools;
    const sentAs = await this.#tried(definition, undefined, () => definition.matcher.match(attributes, world));
    if (!sentAs) return;
    const { paramKind } = definition;
    if (paramKind && !surroundings.params.isServed(paramKind)) {
      this.#unusable(
        definition,
        undefined,
        `failed to find resource referenced by paramKind: '${kindText(paramKind)}'`,
      );
      return;
    }
    const notes = new Notes();
    for (const binding of bindings) await this.#bound(definition, binding, sentAs, notes);
    notes.publish(definition.name, attributes);
  }

  /** @throws StatusError for the first denial */
  conclude(): void {
    const [first] = this.#denials;
    if (first) throw denied(this.request.attributes, first);
  }

  async #bound(definition: Definition, binding: Binding, sentAs: SentAs, notes: Notes): Promise<void> {
    const { attributes, asked } = this.request;
    const { world, surroundings } = this.tools;
    const { matcher } = binding;
    if (matcher && !(await this.#tried(definition, binding, () => matcher.match(attributes, world)))) return;
    const params = await this.#params(definition, binding);
    if (params === 'missing') return;
    const variables = await this.#tried(definition, binding, () => this.#variables(definition, sentAs, params));
    if (!variables) return;
    const judge = new Judge(definition, await definition.compiled(), () =>
      surroundings.conditionFailed(definition.name),
    );
    const judgement = await judge.judge(new Evaluation(variables, asked), (conditions) =>
      conditions.evaluateWith(variables, asked),
    );
    this.#enforce(definition, binding, judgement, notes);
  }

  async #variables(definition: Definition, sentAs: SentAs, params: ApiObject | undefined): Promise<Bindings> {
    const namespace = definition.namesNamespace ? await this.#namespace() : undefined;
    try {
      const variables = await this.request.variables(sentAs, params);
      return namespace === undefined ? variables : new Map([...variables, [NAMESPACE_VARIABLE, jsonValue(namespace)]]);
    } catch (error) {
      throw new StatusError('InternalError', `failed to convert object version: ${(error as Error).message}`);
    }
  }

  /** Null for what lies in none, and for namespaces. @throws StatusError 404 */
  async #namespace(): Promise<ApiObject | null> {
    const { namespace, group, resource } = this.request.attributes;
    const isNamespace = group === '' && resource === 'namespaces';
    return namespace === '' || isNamespace ? null : this.tools.namespaces.find(namespace);
  }

  /** The object that a binding names; undefined where it names none, or the policy asks for none. */
  async #params(definition: Definition, binding: Binding): Promise<ApiObject | undefined | 'missing'> {
    const { paramKind } = definition;
    const { paramRef } = binding.spec;
    if (!paramKind || !paramRef) return undefined;
    const { name = '', namespace = '' } = paramRef;
    const found = await this.#tried(definition, binding, async () => ({
      object: await this.#find(paramKind, namespace, name),
    }));
    if (!found) return 'missing';
    if (!found.object) this.#unusable(definition, binding, `${name} not found`);
    return found.object ?? 'missing';
  }

  /** @throws StatusError 504 */
  async #find(kind: ParamKind, namespace: string, name: string): Promise<ApiObject | undefined> {
    const began = performance.now();
    const until = Math.min(this.request.attributes.deadline, began + this.#patience);
    try {
      return await this.tools.surroundings.params.find(kind, namespace, name, until);
    } finally {
      this.#patience = Math.max(this.#patience - (performance.now() - began), 0);
    }
  }

  /** What goes wrong is told of the policy, or the binding. */
  async #tried<T>(
    definition: Definition,
    binding: Binding | undefined,
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

  #unusable(definition: Definition, binding: Binding | undefined, why: string): void {
    if (definition.ignoresFailure) return;
    const message = `failed to configure ${binding ? 'binding' : 'policy'}: ${why}`;
    this.#denials.push({ policy: definition.name, binding: binding?.name, message, reason: '' });
  }

  #enforce(definition: Definition, binding: Binding, { decisions, notes: noted }: Judgement, notes: Notes): void {
    for (const [at, decision] of decisions.entries()) this.#carryOut(definition, binding, decision, at);
    for (const { key, value, error, milliseconds } of noted) {
      if (value !== undefined) notes.add(key, value);
      // Whatever the binding does otherwise.
      if (error !== undefined) this.#deny(definition, binding, { message: error, reason: '', milliseconds });
    }
  }

  #carryOut(definition: Definition, binding: Binding, decision: Decision, at: number): void {
    const { observer, failureKey } = this.tools;
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
        attributes.annotate(failureKey, failureNote(binding, at, message));
        observer.enforced(policy, by, 'audit', milliseconds);
      }
      if (action === 'Warn') {
        const told = `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${by}': ${message}`;
        attributes.warn(told);
        observer.enforced(policy, by, 'warn', milliseconds);
      }
    }
  }

  #deny(
    { name: policy }: Definition,
    { name: binding }: Binding,
    { message, reason, milliseconds }: Pick<Decision, 'message' | 'reason' | 'milliseconds'>,
  ): void {
    this.#denials.push({ policy, binding, message, reason });
    this.tools.observer.enforced(policy, binding, 'deny', milliseconds);
  }
}

/** As the reference writes kinds. */
function kindText({ apiVersion, kind }: ParamKind): string {
  const parsed = parseApiVersion(apiVersion);
  return `${parsed?.group ?? ''}/${parsed?.version ?? ''}, Kind=${kind}`;
}
