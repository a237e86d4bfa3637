import { VerbatimValue } from '@orch/machinery';
import { isObject, objectsAt, stringsAt, textAt } from './fields.js';

/**
 * Values as the reference system prints them in messages when they are no scalars: in the syntax of its language. Clients
 * compare such messages as they are.
 */

const quoted = (text: string): string => JSON.stringify(text);

const stringList = (items: readonly string[] | undefined): string =>
  items === undefined ? '[]string(nil)' : `[]string{${items.map(quoted).join(', ')}}`;

function stringMap(map: unknown): string {
  if (!isObject(map)) return 'map[string]string(nil)';
  const pairs = Object.keys(map)
    .sort()
    .map((key) => `${quoted(key)}:${quoted(String(map[key]))}`);
  return `map[string]string{${pairs.join(', ')}}`;
}

/** A map of strings, in the order of its keys. */
export const shownMap = (map: unknown): VerbatimValue => new VerbatimValue(stringMap(map));

export const shownStrings = (items: readonly string[]): VerbatimValue => new VerbatimValue(stringList(items));

/** A number, or the text that stands for one. */
export const shownIntOrString = (value: unknown): VerbatimValue =>
  new VerbatimValue(
    typeof value === 'string'
      ? `intstr.IntOrString{Type:1, IntVal:0, StrVal:${quoted(value)}}`
      : `intstr.IntOrString{Type:0, IntVal:${Number(value ?? 0)}, StrVal:""}`,
  );

/** A label selector; `null` for none. */
export function shownSelector(selector: unknown): VerbatimValue | null {
  if (!isObject(selector)) return null;
  const requirements = objectsAt(selector, 'matchExpressions').map(
    (each) =>
      `v1.LabelSelectorRequirement{Key:${quoted(textAt(each, 'key'))}, Operator:${quoted(textAt(each, 'operator'))}, ` +
      `Values:${stringList(Array.isArray(each.values) ? stringsAt(each, 'values') : undefined)}}`,
  );
  const expressions = Array.isArray(selector.matchExpressions) ? `{${requirements.join(', ')}}` : '(nil)';
  return new VerbatimValue(
    `v1.LabelSelector{MatchLabels:${stringMap(selector.matchLabels)}, ` +
      `MatchExpressions:[]v1.LabelSelectorRequirement${expressions}}`,
  );
}

/** The spec of a disruption budget. Of what it points to only addresses are printed, which differ each time; here they don't. */
export function shownBudget(spec: unknown): VerbatimValue {
  const pointer = (name: string, type: string): string =>
    isObject(spec) && spec[name] !== undefined && spec[name] !== null ? `(*${type})(0xc000000000)` : `(*${type})(nil)`;
  return new VerbatimValue(
    `policy.PodDisruptionBudgetSpec{MinAvailable:${pointer('minAvailable', 'intstr.IntOrString')}, ` +
      `Selector:${pointer('selector', 'v1.LabelSelector')}, ` +
      `MaxUnavailable:${pointer('maxUnavailable', 'intstr.IntOrString')}, ` +
      `UnhealthyPodEvictionPolicy:${pointer('unhealthyPodEvictionPolicy', 'policy.UnhealthyPodEvictionPolicyType')}}`,
  );
}

/** The role that a binding grants. */
export const shownRoleRef = (ref: unknown): VerbatimValue =>
  new VerbatimValue(
    `rbac.RoleRef{APIGroup:${quoted(textAt(ref, 'apiGroup'))}, Kind:${quoted(textAt(ref, 'kind'))}, ` +
      `Name:${quoted(textAt(ref, 'name'))}}`,
  );

/** What makes a port of a Service the same as another one. */
export const shownServicePort = (protocol: string, port: number): VerbatimValue =>
  new VerbatimValue(
    `core.ServicePort{Name:"", Protocol:${quoted(protocol)}, AppProtocol:(*string)(nil), Port:${port}, ` +
      'TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
  );
