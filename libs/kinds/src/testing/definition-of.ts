import { formatApiVersion } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';

/** The definition that a vector is of. @throws Error where there is none */
export function definitionOf(
  resources: readonly ResourceDefinition[],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): ResourceDefinition {
  const found = resources.find((each) => each.kind === kind && formatApiVersion(each) === apiVersion);
  if (!found) throw new Error(`no ${kind} in ${apiVersion}`);
  return found;
}
