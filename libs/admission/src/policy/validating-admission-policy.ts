import type { Names } from '@orch/machinery';
import type { Attributes, Target } from '../attributes.js';
import { type FollowedObjects, requireReadable } from '../known-objects.js';
import { FollowedNamespaces } from '../matching/followed-namespaces.js';
import { RequestIndex } from '../matching/request-index.js';
import { isExempt } from '../matching/rules.js';
import type { AdmissionPlugin, PluginContext } from '../plugin.js';
import { outOfTime } from '../webhook/refusals.js';
import { type BoundPolicy, Policies } from './policies.js';
import { type PolicyObserver, policyMetrics } from './policy-metrics.js';
import { PolicyRequest } from './policy-request.js';
import { PolicyRun, type PolicyTools } from './policy-run.js';
import type { ParamKind } from './policy-services.js';

const GROUP = 'admissionregistration.orch.io';
const NAME = 'ValidatingAdmissionPolicy';

/** Evaluates ValidatingAdmissionPolicies for the requests that their bindings select. */
class AdmissionPolicies implements AdmissionPlugin {
  readonly name = NAME;
  /** True, as the authorizer and the parameters may have to be waited for, and expressions may take long. */
  readonly callsOut = true;
  readonly admitsConnections = true;
  readonly readsOnly = true;
  readonly #index: RequestIndex<BoundPolicy>;
  readonly #followed: readonly FollowedObjects[];
  readonly #namespaces: FollowedNamespaces;
  readonly #tools: PolicyTools;
  readonly #names: Names;
  readonly #group: string;

  constructor({ names, objects, policies: services }: PluginContext, observer: PolicyObserver) {
    const { forms, params } = services;
    const policies = objects.follow({ group: GROUP, resource: 'validatingadmissionpolicies' });
    const bindings = objects.follow({ group: GROUP, resource: 'validatingadmissionpolicybindings' });
    this.#followed = [policies, bindings];
    const joined = new Policies(() => observer.defined());
    this.#names = names;
    this.#group = names.group(GROUP);
    this.#namespaces = new FollowedNamespaces(objects);
    this.#index = new RequestIndex(() => {
      const all = joined.of(policies.all(), bindings.all());
      params.follow(kindsOf(all));
      return all;
    }, forms);
    for (const kind of this.#followed)
      kind.onChange(() => {
        this.#index.changed();
        // This begins to follow the parameters before the first request needs them.
        void this.#index.all;
      });
    this.#tools = {
      world: {
        own: (target) => forms.own(target),
        equivalents: (target) => forms.equivalents(target),
        namespaceLabels: (name) => this.#namespaces.labels(name),
      },
      namespaces: this.#namespaces,
      ...{ services, observer },
      failureKey: `${names.group('validation.policy.admission.orch.io')}/validation_failure`,
    };
  }

  handles(target: Target): boolean {
    const meant = this.#index.meant(target);
    if (isExempt(target, this.#group)) return false;
    // Whether a newer policy matches is unknown until the request is evaluated.
    if (this.#followed.some(({ isBehind }) => isBehind)) return true;
    if (this.#followed.some((kind) => kind.unreadable('') !== undefined)) return true;
    if (meant.length === 0) return false;
    const { namespace, resource } = target;
    if (namespace === '' || resource === 'namespaces' || this.#namespaces.isBehind) return true;
    const labels = this.#namespaces.known(namespace);
    return labels === undefined || meant.some(({ matcher }) => !matcher.excludesNamespace(target, labels));
  }

  async validate(attributes: Attributes): Promise<void> {
    if (attributes.isInternal === true) return;
    // A policy that cannot be read may be about whatever is written, and so may a binding be of such.
    for (const kind of this.#followed) requireReadable(kind, '');
    const request = new PolicyRequest(attributes, this.#tools.services.forms, this.#names);
    const run = new PolicyRun(request, this.#tools);
    for (const policy of this.#index.meant(attributes)) {
      if (performance.now() >= attributes.deadline) throw outOfTime();
      await run.observe(policy);
    }
    run.conclude();
  }
}

/** Returns the distinct kinds of parameters of policies. */
function kindsOf(policies: readonly BoundPolicy[]): readonly ParamKind[] {
  const kinds = new Map<string, ParamKind>();
  for (const { definition } of policies) {
    const { paramKind } = definition;
    if (paramKind) kinds.set(`${paramKind.apiVersion}/${paramKind.kind}`, paramKind);
  }
  return [...kinds.values()];
}

/**
 * Makes the plugin ValidatingAdmissionPolicy. With its feature gate off it handles no request, but its metrics exist.
 */
export function validatingAdmissionPolicies(context: PluginContext): AdmissionPlugin {
  const observer = policyMetrics(context.metrics);
  return context.isEnabled(NAME) ? new AdmissionPolicies(context, observer) : { name: NAME, handles: () => false };
}
