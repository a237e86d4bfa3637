import { forbidden, type StatusError } from '@orch/machinery';
import type { Attributes } from './attributes.js';

/** The 403 that a plugin refuses a write with: `deployments.apps "web" is forbidden: WHY`. */
export function refusal(attributes: Attributes, why: string): StatusError {
  const { group, resource } = attributes;
  return forbidden({ group, resource }, nameOf(attributes), why);
}

/** Returns the name of an object, or what its name will be generated from. */
export function nameOf({ name, object }: Attributes): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}
