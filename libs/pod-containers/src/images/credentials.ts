import type { RegistryAuth } from '@orch/container-runtime';
import { isObject } from '@orch/machinery';
import type { Secret } from '@orch/schema/types/core/v1';
import { repositoryOf } from './image-names.js';

/** Credentials and the registry, with a path perhaps, that they are for. */
interface RegistryEntry {
  readonly place: string;
  readonly auth: RegistryAuth;
}

/** Returns the credentials of Secrets that fit an image, those of the longest place first. Others are left out. */
export function credentialsFor(image: string, secrets: readonly Secret[]): RegistryAuth[] {
  const repository = repositoryOf(image);
  return secrets
    .flatMap(entriesOf)
    .filter(({ place }) => covers(place, repository))
    .sort((a, b) => b.place.length - a.place.length)
    .map(({ auth }) => auth);
}

function entriesOf({ type, data = {} }: Secret): RegistryEntry[] {
  const read = (key: string) => parsed(Buffer.from(data[key] ?? '', 'base64').toString());
  const config = type === 'kubernetes.io/dockercfg' || type === 'orch.io/dockercfg' ? read('.dockercfg') : undefined;
  const auths = config ?? read('.dockerconfigjson').auths;
  if (!isObject(auths)) return [];
  return Object.entries(auths).flatMap(([place, entry]) => {
    const auth = isObject(entry) ? authOf(entry) : undefined;
    return auth ? [{ place: placeOf(place), auth: { ...auth, serverAddress: place } }] : [];
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function authOf({ username, password, auth, identitytoken }: Record<string, unknown>): RegistryAuth | undefined {
  if (typeof identitytoken === 'string' && identitytoken !== '') return { identityToken: identitytoken };
  if (typeof username === 'string' && username !== '') return { username, password: String(password ?? '') };
  if (typeof auth !== 'string' || auth === '') return undefined;
  const decoded = Buffer.from(auth, 'base64').toString();
  const at = decoded.indexOf(':');
  return at < 0 ? undefined : { username: decoded.slice(0, at), password: decoded.slice(at + 1) };
}

/** Registries are written as URLs too, and with the path of their API. */
function placeOf(text: string): string {
  const bare = text.replace(/^https?:\/\//, '').replace(/\/(?:v[12]\/?)?$/, '');
  return bare === 'index.docker.io' || bare.startsWith('index.docker.io/') ? bare.replace('index.', '') : bare;
}

function covers(place: string, repository: string): boolean {
  const [host = '', ...path] = place.split('/');
  const [ownHost = '', ...ownPath] = repository.split('/');
  if (path.some((part, at) => part !== ownPath[at])) return false;
  const [parts, ownParts] = [host.split('.'), ownHost.split('.')];
  return parts.length === ownParts.length && parts.every((part, at) => part === '*' || part === ownParts[at]);
}
