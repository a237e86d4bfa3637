import { STREAMS } from './gen/streams.js';

const names: ReadonlySet<string> = new Set(STREAMS);

/**
 * Whether answers of a subresource are streams that may last, as `proto/` declares of `exec`, `log` and the like.
 * Resources of other servers are judged by the same names, as in kube-apiserver.
 */
export const isStream = (subresource: string): boolean => names.has(subresource);
