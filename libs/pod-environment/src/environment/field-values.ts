import { qualifiedNameErrors } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';

/** Addresses that the downward API shows. */
export interface PodAddresses {
  /** Addresses of the pod; empty before it has any. */
  readonly podIPs: readonly string[];
  /** Address of the node. */
  readonly hostIP: string;
}

const SUBSCRIPT = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/;

/**
 * Returns the value of a field of a pod, as `fieldRef` names it.
 * @throws Error for a field that is not offered
 */
export function fieldValue(path: string, pod: Pod, { podIPs, hostIP }: PodAddresses): string {
  const { metadata = {}, spec = {} } = pod;
  const [, map, key = ''] = SUBSCRIPT.exec(path) ?? [];
  if (map !== undefined) return subscripted(path, map, key, pod);
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return formatMap(metadata.labels ?? {});
    case 'metadata.annotations':
      return formatMap(metadata.annotations ?? {});
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIP;
    case 'status.podIP':
      return podIPs[0] ?? '';
    case 'status.podIPs':
      return podIPs.join(',');
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

function subscripted(path: string, map: string, key: string, { metadata }: Pod): string {
  const isLabel = map === 'metadata.labels';
  const errors = qualifiedNameErrors(isLabel ? key : key.toLowerCase());
  if (errors.length > 0) throw new Error(`invalid key subscript in ${path}: ${errors.join(';')}`);
  const values = (isLabel ? metadata?.labels : metadata?.annotations) ?? {};
  return Object.hasOwn(values, key) ? (values[key] ?? '') : '';
}

/** Writes a map a line each, `key="value"`, in the order of keys, with the escapes of Go. */
function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuoted(map[key] ?? '')}`)
    .join('\n');
}

const NAMED_ESCAPES = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\u000b', '\\v'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);
const UNPRINTABLE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function goQuoted(text: string): string {
  const escaped = text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const named = NAMED_ESCAPES.get(character);
    if (named) return named;
    if (code < 0x80) return `\\x${hex(code, 2)}`;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
  return `"${escaped}"`;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
