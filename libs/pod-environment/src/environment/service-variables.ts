import type { Names } from '@orch/machinery';
import type { Service } from '@orch/schema/types/core/v1';

const variableName = (name: string): string => name.toUpperCase().replaceAll('-', '_');
const hostPort = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/**
 * Returns the variables of the services of a namespace: host and ports, in both of the usual forms. The Service of the
 * API itself is always among them.
 * @param links whether there are variables of other services (`enableServiceLinks`)
 */
export function serviceVariables(
  services: Iterable<Service>,
  namespace: string,
  links: boolean,
  names: Names,
): Map<string, string> {
  const selected = new Map<string, Service>();
  for (const service of services) {
    const { name = '', namespace: own } = service.metadata ?? {};
    const address = service.spec?.clusterIP ?? '';
    if (address === '' || address === 'None') continue;
    if (own === 'default' && name === names.apiServiceName) {
      if (!selected.has(name)) selected.set(name, service);
    } else if (own === namespace && links) selected.set(name, service);
  }
  const variables = new Map<string, string>();
  for (const service of [...selected.values()]) addVariables(variables, service);
  return variables;
}

function addVariables(variables: Map<string, string>, { metadata, spec }: Service): void {
  const prefix = variableName(metadata?.name ?? '');
  const { clusterIP = '', ports = [] } = spec ?? {};
  variables.set(`${prefix}_SERVICE_HOST`, clusterIP);
  ports.forEach(({ name = '', port = 0, protocol = 'TCP' }, at) => {
    const scheme = protocol.toLowerCase();
    const url = `${scheme}://${hostPort(clusterIP, port)}`;
    if (at === 0) variables.set(`${prefix}_SERVICE_PORT`, String(port)).set(`${prefix}_PORT`, url);
    if (name !== '') variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
    const link = `${prefix}_PORT_${port}_${protocol}`;
    variables
      .set(link, url)
      .set(`${link}_PROTO`, scheme)
      .set(`${link}_PORT`, String(port))
      .set(`${link}_ADDR`, clusterIP);
  });
}
