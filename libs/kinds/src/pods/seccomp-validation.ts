import { type FieldError, forbiddenField, invalidValue, type Names, notSupported, required } from '@orch/machinery';
import type { PodSpec, SeccompProfile } from '@orch/schema/types/core/v1';
import type { ObjectMeta } from '@orch/schema/types/meta/v1';
import { invalidEach } from '../rules/checks.js';
import { type AnyContainer, eachContainer } from './containers.js';
import { shownSeccomp } from './shown-values.js';
import { descendingPathErrors } from './volumes/path-validation.js';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** Profiles as annotations name them, by the type that fields give them; the last of one is of old. */
const ANNOTATED: ReadonlyMap<string, readonly string[]> = new Map([
  ['RuntimeDefault', ['runtime/default', 'docker/default']],
  ['Unconfined', ['unconfined']],
]);
const LOCAL = 'localhost/';

/** Which calls of the kernel are allowed, of a pod or a container. */
export function validateSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (!profile) return [];
  const { localhostProfile } = profile;
  const type = profile.type ?? '';
  const field = `${path}.localhostProfile`;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${path}.type`, 'type is required when seccompProfile is set'));
  else if (!TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  if (type === 'Localhost') {
    if (typeof localhostProfile !== 'string') {
      return [...errors, required(field, 'must be set when seccomp type is Localhost')];
    }
    return [...errors, ...invalidEach(field, localhostProfile, descendingPathErrors(localhostProfile))];
  }
  if (typeof localhostProfile !== 'string') return errors;
  return [...errors, invalidValue(field, shownSeccomp(profile), 'can only be set when seccomp type is Localhost')];
}

const podKey = (names: Names): string => names.key('seccomp.security.alpha.orch.io/pod');
const containerPrefix = (names: Names): string => names.key('container.seccomp.security.alpha.orch.io/');

/** Profiles in annotations, as they were given before there were fields. */
export function validateSeccompAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: string,
  names: Names,
): FieldError[] {
  const [pod, prefix] = [podKey(names), containerPrefix(names)];
  return Object.entries(annotations).flatMap(([key, profile]) =>
    key === pod || key.startsWith(prefix) ? validateAnnotated(profile, `${path}.${key}`) : [],
  );
}

function validateAnnotated(profile: string, field: string): FieldError[] {
  if ([...ANNOTATED.values()].some((known) => known.includes(profile))) return [];
  if (!profile.startsWith(LOCAL)) return [invalidValue(field, profile, 'must be a valid seccomp profile')];
  const file = profile.slice(LOCAL.length);
  return invalidEach(field, file, descendingPathErrors(file));
}

/** Checks that the annotation and the field are equal, if both are set. */
export function validateSeccompAgrees(
  metadata: ObjectMeta | undefined,
  spec: PodSpec | undefined,
  path: string,
  names: Names,
): FieldError[] {
  const annotations = metadata?.annotations ?? {};
  if (!Object.keys(annotations).some((key) => key === podKey(names) || key.startsWith(containerPrefix(names)))) {
    return [];
  }
  const compare = (key: string, owner: PodSpec | AnyContainer | undefined, at: string): FieldError[] => {
    const profile = owner?.securityContext?.seccompProfile;
    if (!profile || !Object.hasOwn(annotations, key)) return [];
    return validateSame(annotations[key] ?? '', profile, `${at}.securityContext.seccompProfile`);
  };
  return [
    ...compare(podKey(names), spec, path),
    ...eachContainer(spec, path, (container, at) =>
      compare(containerPrefix(names) + (container.name ?? ''), container, at),
    ),
  ];
}

function validateSame(annotated: string, profile: SeccompProfile, path: string): FieldError[] {
  const type = profile.type ?? '';
  const local = annotated.startsWith(LOCAL);
  const sameType = type === 'Localhost' ? local : (ANNOTATED.get(type)?.includes(annotated) ?? true);
  if (!sameType) return [forbiddenField(`${path}.type`, 'seccomp type in annotation and field must match')];
  if (type !== 'Localhost' || annotated.slice(LOCAL.length) === profile.localhostProfile) return [];
  return [forbiddenField(`${path}.localhostProfile`, 'seccomp profile in annotation and field must match')];
}
