import { StatusError } from '@orch/machinery';
import {
  covers,
  type Evaluator,
  Evaluators,
  type LimitedResource,
  readLimitedResources,
  shownScopes,
  termsOf,
  uncoveredNames,
  uncoveredScopes,
} from '@orch/quota';
import type { Attributes } from '../../attributes.js';
import { type FollowedObjects, requireReadable } from '../../known-objects.js';
import type { AdmissionPlugin, PluginContext } from '../../plugin.js';
import { refusal } from '../../refusal.js';

/**
 * Enforces the quotas of namespaces. This plugin checks what objects must declare for a quota, and resources that
 * require a quota. The remaining amount is checked in the commit of the write: with this plugin enabled, limits are
 * enforced there.
 */
export function resourceQuota({ names, objects, isEnabled, configuration }: PluginContext): AdmissionPlugin {
  const limited = readLimitedResources(configuration);
  const evaluators = new Evaluators(names, isEnabled('InPlacePodVerticalScaling'));
  const judge = new QuotaEvaluator(objects.follow({ group: '', resource: 'resourcequotas' }), limited);
  return {
    name: 'ResourceQuota',
    needs: ['quotas'],
    readsOnly: true,
    handles(target) {
      const { operation, subresource, namespace, group, resource } = target;
      if (operation === 'DELETE' || subresource !== '' || namespace === '') return false;
      if (group === '' && resource === 'namespaces') return false;
      if (!judge.mayRefuse(namespace)) return false;
      const evaluator = evaluators.of(target);
      return evaluator !== undefined && (operation === 'CREATE' || evaluator.limitsUpdates);
    },
    validate(attributes) {
      if (attributes.options.dryRun) return;
      const evaluator = evaluators.of(attributes);
      if (evaluator) judge.judge(attributes, evaluator);
    },
  };
}

class QuotaEvaluator {
  constructor(
    private readonly quotas: FollowedObjects,
    private readonly limited: readonly LimitedResource[],
  ) {}

  /** Returns whether an object of the namespace might be refused. */
  mayRefuse(namespace: string): boolean {
    if (this.limited.length > 0) return true;
    for (const _quota of this.quotas.in(namespace)) return true;
    return this.quotas.unreadable(namespace) !== undefined;
  }

  judge(attributes: Attributes, evaluator: Evaluator): void {
    const { object, oldObject, namespace } = attributes;
    if (!object) return;
    requireReadable(this.quotas, namespace);
    const quotas = [...this.quotas.in(namespace)].map(termsOf).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const terms of quotas) {
      if (!covers(terms, evaluator, object)) continue;
      const concerned = terms.limited.filter((name) => evaluator.counts(name));
      const missing = evaluator.missing?.(concerned, object);
      if (missing !== undefined) throw refusal(attributes, `failed quota: ${terms.name}: ${missing}`);
    }
    const before = oldObject && evaluator.usage(oldObject);
    const takes = [...evaluator.usage(object)].some(([name, amount]) => amount > (before?.get(name) ?? 0n));
    if (!takes) return;
    const names = uncoveredNames(this.limited, attributes, evaluator, object, quotas);
    if (names.length > 0) throw refusal(attributes, `insufficient quota to consume: ${names.join()}`);
    const scopes = uncoveredScopes(this.limited, evaluator, object, quotas);
    if (scopes.length > 0) {
      throw new StatusError('InternalError', `insufficient quota to match these scopes: ${shownScopes(scopes)}`);
    }
  }
}
