import { authenticated } from '@orch/authentication';
import { alwaysAllow } from '@orch/authorization';
import { namesOf, StatusError } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import type { Attributes, Target } from '../attributes.js';
import type { AdmissionPlugin, PluginContext } from '../plugin.js';
import { PLUGINS } from '../plugins.js';
import type { PolicyServices } from '../policy/policy-services.js';
import { TestObjects } from './known-objects.js';

/** A plugin of a name, as a process with the names of Kubernetes, no objects and every feature has it, but for what is said. */
export function pluginOf(name: string, context: Partial<PluginContext> = {}): AdmissionPlugin {
  const found = PLUGINS.find((plugin) => plugin.name === name);
  if (!found) throw new Error(`no plugin ${name}`);
  return found.make(pluginContext(context));
}

/** What plugins are made with where nothing else is said. */
export function pluginContext(context: Partial<PluginContext> = {}): PluginContext {
  return {
    names: namesOf('kubernetes'),
    objects: new TestObjects(),
    ownWrites: { create: () => Promise.reject(new Error('nothing is to be made')) },
    settings: { notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300, authorizerCallsOut: false },
    webhooks: noWebhooks,
    policies: NO_POLICIES,
    isEnabled: () => true,
    metrics: new Metrics(),
    servedAs: () => [],
    openReviews: () => Promise.reject(new Error('no webhooks are opened')),
    sharedRates: undefined,
    configuration: undefined,
    ...context,
  };
}

const NO_POLICIES: PolicyServices = {
  forms: {
    served: 1,
    own: ({ group, version, resource, kind }) => ({
      resource: { group, version, resource },
      kind: { group, version, kind },
    }),
    equivalents: () => [],
    sent: async (object) => object,
  },
  params: { follow: () => undefined, isNamespaced: () => undefined, find: () => undefined, select: () => [] },
  conditionFailed: () => undefined,
};

function noWebhooks(): never {
  throw new Error('no webhooks are called');
}

const POD: Target = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  subresource: '',
  namespace: 'default',
  name: 'a',
};

/** What a plugin is asked whether it has anything to say about. */
export const targetOf = (changed: Partial<Target>): Target => ({ ...POD, ...changed });

/** The creation of a pod `default/a` by a user without rights of note, but for what is said. */
export const attributesOf = (changed: Partial<Attributes> = {}): Attributes => ({
  ...POD,
  object: undefined,
  oldObject: undefined,
  options: { dryRun: false },
  user: authenticated({ name: 'jane', groups: [], extra: {} }, 'token').user,
  authorizer: alwaysAllow,
  deadline: Number.POSITIVE_INFINITY,
  isReinvocation: false,
  reinvoke: () => undefined,
  setDefaults: () => undefined,
  warn: () => undefined,
  annotate: () => undefined,
  annotateBody: () => undefined,
  ...changed,
});

/** What a plugin refuses a write with, whether it may change the object or not; undefined where it lets it pass. */
export async function refusalOf(plugin: AdmissionPlugin, attributes: Attributes): Promise<string | undefined> {
  if (!plugin.handles(attributes)) return undefined;
  try {
    await plugin.admit?.(attributes);
    await plugin.validate?.(attributes);
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
  return undefined;
}
