import type { Check, PodCheck } from '../check.js';
import { named, plural, quoted, sorted } from './wording.js';

const namespaces: PodCheck = ({ spec }) => {
  const members = ['hostNetwork', 'hostPID', 'hostIPC'] as const;
  const found = members.filter((member) => spec[member]);
  if (found.length === 0) return undefined;
  return { reason: 'host namespaces', detail: found.map((member) => `${member}=true`).join(', ') };
};

/** Nothing is shared with processes of the node. */
export const hostNamespaces: Check = {
  id: 'hostNamespaces',
  level: 'baseline',
  versions: [{ since: 0, check: namespaces }],
};

const paths: PodCheck = ({ spec: { volumes = [] } }) => {
  const found = volumes.filter(({ hostPath }) => hostPath);
  if (found.length === 0) return undefined;
  const which = quoted(found.map(({ name = '' }) => name));
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', found.length)} ${which}` };
};

/** No folder of the node is a volume. */
export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [{ since: 0, check: paths }],
};

const ports: PodCheck = ({ containers }) => {
  const found = containers.filter(({ ports = [] }) => ports.some(({ hostPort }) => hostPort));
  if (found.length === 0) return undefined;
  const taken = sorted(
    found.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => (hostPort ? [`${hostPort}`] : []))),
  );
  const what = `${plural('uses', 'use', found.length)} ${plural('hostPort', 'hostPorts', taken.length)}`;
  return { reason: 'hostPort', detail: `${named(found)} ${what} ${taken.join(', ')}` };
};

/** No port of the node is taken. */
export const hostPorts: Check = { id: 'hostPorts', level: 'baseline', versions: [{ since: 0, check: ports }] };
