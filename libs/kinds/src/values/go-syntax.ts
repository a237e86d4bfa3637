import { VerbatimValue } from '@orch/machinery';
import type { LabelSelector } from '@orch/schema/types/meta/v1';
import type { PodDisruptionBudgetSpec } from '@orch/schema/types/policy/v1';
import type { RoleRef } from '@orch/schema/types/rbac/v1';

/**
 * Values as the reference system prints them in messages when they are no scalars: in the syntax of its language.
 * Clients compare such messages as they are.
 */

const quoted = (text: string): string => JSON.stringify(text);

const stringList = (items: readonly string[] | undefined): string =>
  items === undefined ? '[]string(nil)' : `[]string{${items.map(quoted).join(', ')}}`;

function stringMap(map: Readonly<Record<string, string>> | undefined): string {
  if (!map) return 'map[string]string(nil)';
  const pairs = Object.keys(map)
    .sort()
    .map((key) => `${quoted(key)}:${quoted(String(map[key]))}`);
  return `map[string]string{${pairs.join(', ')}}`;
}

/** A map of strings, in the order of its keys. */
export const shownMap = (map: Readonly<Record<string, string>> | undefined): VerbatimValue =>
  new VerbatimValue(stringMap(map));

/** Returns a list of strings as Go shows it. */
export const shownStrings = (items: readonly string[]): VerbatimValue => new VerbatimValue(stringList(items));

/** A number, or the text that stands for one. */
export const shownIntOrString = (value: number | string | undefined): VerbatimValue =>
  new VerbatimValue(
    typeof value === 'string'
      ? `intstr.IntOrString{Type:1, IntVal:0, StrVal:${quoted(value)}}`
      : `intstr.IntOrString{Type:0, IntVal:${Number(value ?? 0)}, StrVal:""}`,
  );

/** A label selector; `null` for none. */
export function shownSelector(selector: LabelSelector | undefined): VerbatimValue | null {
  if (!selector) return null;
  const requirements = selector.matchExpressions?.map(
    (each) =>
      `v1.LabelSelectorRequirement{Key:${quoted(each.key ?? '')}, Operator:${quoted(each.operator ?? '')}, ` +
      `Values:${stringList(each.values)}}`,
  );
  const expressions = requirements ? `{${requirements.join(', ')}}` : '(nil)';
  return new VerbatimValue(
    `v1.LabelSelector{MatchLabels:${stringMap(selector.matchLabels)}, ` +
      `MatchExpressions:[]v1.LabelSelectorRequirement${expressions}}`,
  );
}

/**
 * The spec of a disruption budget. Of what it points to only addresses are printed, which differ each time; here they
 * don't.
 */
export function shownBudget(spec: PodDisruptionBudgetSpec | undefined): VerbatimValue {
  const pointer = (name: keyof PodDisruptionBudgetSpec, type: string): string =>
    (spec?.[name] ?? undefined) !== undefined ? `(*${type})(0xc000000000)` : `(*${type})(nil)`;
  return new VerbatimValue(
    `policy.PodDisruptionBudgetSpec{MinAvailable:${pointer('minAvailable', 'intstr.IntOrString')}, ` +
      `Selector:${pointer('selector', 'v1.LabelSelector')}, ` +
      `MaxUnavailable:${pointer('maxUnavailable', 'intstr.IntOrString')}, ` +
      `UnhealthyPodEvictionPolicy:${pointer('unhealthyPodEvictionPolicy', 'policy.UnhealthyPodEvictionPolicyType')}}`,
  );
}

/** The role that a binding grants. */
export const shownRoleRef = (ref: RoleRef | undefined): VerbatimValue =>
  new VerbatimValue(
    `rbac.RoleRef{APIGroup:${quoted(ref?.apiGroup ?? '')}, Kind:${quoted(ref?.kind ?? '')}, ` +
      `Name:${quoted(ref?.name ?? '')}}`,
  );

/** The members of a port of a Service that make it the same as another one. */
export const shownServicePort = (protocol: string, port: number): VerbatimValue =>
  new VerbatimValue(
    `core.ServicePort{Name:"", Protocol:${quoted(protocol)}, AppProtocol:(*string)(nil), Port:${port}, ` +
      'TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
  );
