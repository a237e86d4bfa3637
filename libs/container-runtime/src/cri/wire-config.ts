import type { ContainerConfig, ContainerMount, ContainerSecurity } from '../containers.js';
import type { NamespaceOptions, SecurityProfile } from '../isolation.js';
import type { SandboxConfig, SandboxSecurity } from '../sandboxes.js';

/** A message as it is encoded: names and numbers are those of the schema. */
type WireMessage = Readonly<Record<string, unknown>>;

const optional = (value: number | undefined): WireMessage | undefined => (value === undefined ? undefined : { value });

const namespacesOf = ({ users, ...rest }: NamespaceOptions): WireMessage =>
  users ? { ...rest, users: { mode: 'pod', ...users } } : rest;

const profileOf = (profile: SecurityProfile | undefined): WireMessage | undefined =>
  profile && { ...profile, type: profile.type.replace('-', '_') };

const mountOf = ({ propagation = 'private', ...rest }: ContainerMount): WireMessage => ({
  ...rest,
  propagation: propagation.replaceAll('-', '_'),
});

const sandboxSecurityOf = (security: SandboxSecurity): WireMessage => ({
  ...security,
  namespaces: namespacesOf(security.namespaces),
  runAsUser: optional(security.runAsUser),
  runAsGroup: optional(security.runAsGroup),
  seccomp: profileOf(security.seccomp),
});

const securityOf = (security: ContainerSecurity): WireMessage => ({
  ...security,
  namespaces: namespacesOf(security.namespaces),
  runAsUser: optional(security.runAsUser),
  runAsGroup: optional(security.runAsGroup),
  seccomp: profileOf(security.seccomp),
  appArmor: profileOf(security.appArmor),
});

/** Returns the message of a sandbox's settings. */
export function sandboxMessage(config: SandboxConfig): WireMessage {
  const { cgroupParent, sysctls, overhead, resources } = config;
  return {
    ...config,
    linux: { cgroupParent, sysctls, overhead, resources, security: sandboxSecurityOf(config.security) },
  };
}

/** Returns the message of a container's settings. */
export const containerMessage = (config: ContainerConfig): WireMessage => ({
  ...config,
  image: { image: config.image },
  mounts: config.mounts?.map(mountOf),
  cdiDevices: config.cdiDevices?.map((name) => ({ name })),
  linux: { resources: config.resources, security: securityOf(config.security) },
});
