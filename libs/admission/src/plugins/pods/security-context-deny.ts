import type { Container, PodSpec } from '@orch/schema/types/core/v1';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { podOf } from './pod-containers.js';
import { isAboutPods } from './pods.js';

const ADVICE = 'https://k8s.io/docs/reference/access-authn-authz/admission-controllers/#securitycontextdeny';

/** Refuses pods that set users, groups or SELinux labels. Deprecated: PodSecurity replaces it. */
export const securityContextDeny: PluginMaker = ({ isEnabled }) => {
  const name = 'SecurityContextDeny';
  if (!isEnabled(name))
    throw new Error(
      `${name} admission controller is an alpha feature, planned to be removed, and requires the ${name} feature gate to be enabled, see ${ADVICE} for more information`,
    );
  return {
    name,
    readsOnly: true,
    handles: (target) => target.operation !== 'DELETE' && isAboutPods(target),
    validate(attributes) {
      const found = problemOf(podOf(attributes).spec ?? {});
      if (found !== undefined) throw refusal(attributes, `${found} is forbidden`);
    },
  };
};

function problemOf({ securityContext, initContainers = [], containers = [] }: PodSpec): string | undefined {
  const { supplementalGroups, seLinuxOptions, runAsUser, fsGroup } = securityContext ?? {};
  if (supplementalGroups !== undefined) return 'pod.Spec.SecurityContext.SupplementalGroups';
  if (seLinuxOptions !== undefined) return 'pod.Spec.SecurityContext.SELinuxOptions';
  if (runAsUser !== undefined) return 'pod.Spec.SecurityContext.RunAsUser';
  if (fsGroup !== undefined) return 'pod.Spec.SecurityContext.FSGroup';
  for (const container of [...initContainers, ...containers]) {
    const problem = containerProblem(container);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function containerProblem({ securityContext }: Container): string | undefined {
  if (securityContext?.seLinuxOptions !== undefined) return 'SecurityContext.SELinuxOptions';
  return securityContext?.runAsUser === undefined ? undefined : 'SecurityContext.RunAsUser';
}
