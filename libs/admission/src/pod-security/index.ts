import type { Target } from '../attributes.js';
import type { PluginMaker } from '../plugin.js';
import { readPodSecurityConfiguration } from './configuration.js';
import { evaluateNamespace } from './namespace-judge.js';
import { policyLabels } from './namespace-policy.js';
import { evaluatePod, evaluateTemplate } from './pod-judge.js';
import { podSecurityMetrics } from './pod-security-metrics.js';
import { holdsTemplate } from './pod-templates.js';
import { NAMESPACES, type PodSecurityTools } from './tools.js';

/** Subresources of pods through which nothing changes that is checked. */
const IGNORED: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

const isOf = (target: Target, resource: string): boolean => target.group === '' && target.resource === resource;
const isAboutPods = (target: Target): boolean => isOf(target, 'pods') && !IGNORED.has(target.subresource);
const isAboutNamespaces = (target: Target): boolean => isOf(target, 'namespaces') && target.subresource === '';
const isAboutTemplates = (target: Target): boolean => target.subresource === '' && holdsTemplate(target);

/**
 * Enforces the pod security standards, as each release had them, by labels of namespaces. Input and messages are those
 * of the reference (pod-security-admission v0.27.16).
 */
export const podSecurity: PluginMaker = ({ names, objects, metrics, configuration }) => {
  const tools: PodSecurityTools = {
    names,
    configuration: readPodSecurityConfiguration(configuration),
    labels: policyLabels(names),
    objects,
    namespaces: objects.follow(NAMESPACES),
    observer: podSecurityMetrics(metrics),
  };
  return {
    name: 'PodSecurity',
    readsOnly: true,
    // A namespace that another process created may have to be read, and so may existing pods.
    callsOut: (target) => target.operation === 'CREATE' || isAboutNamespaces(target),
    handles: (target) =>
      target.operation !== 'DELETE' && (isAboutPods(target) || isAboutTemplates(target) || isAboutNamespaces(target)),
    validate: (attributes) => {
      if (isAboutPods(attributes)) return evaluatePod(tools, attributes);
      return isAboutNamespaces(attributes) ? evaluateNamespace(tools, attributes) : evaluateTemplate(tools, attributes);
    },
  };
};
