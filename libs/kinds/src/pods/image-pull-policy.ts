const DEFAULT_HOST = 'docker.io';
/** Hosts that once had another name. */
const LEGACY_HOST = 'index.docker.io';
const HOST_PART = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const HOST = `${HOST_PART}(?:\\.${HOST_PART})*(?::[0-9]+)?`;
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const DIGEST = 'sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}';
const REFERENCE = new RegExp(`^(${HOST}/${PART}(?:/${PART})*)(?::(\\w[\\w.-]{0,127}))?(?:@(${DIGEST}))?$`);
const IDENTIFIER = /^[a-f0-9]{64}$/;
const MAX_NAME = 255;
/** Longest image reference that is parsed; no valid one is longer. */
const MAX_LENGTH = 600;

/**
 * Pull policy of a container that names none: `Always` for the tag `latest`, also when it is only implied (neither
 * tag nor digest), else `IfNotPresent`; so also for what names no image at all.
 */
export function imagePullPolicy(image: string): 'Always' | 'IfNotPresent' {
  if (image.length > MAX_LENGTH || IDENTIFIER.test(image)) return 'IfNotPresent';
  const [, name = '', tag, digest] = REFERENCE.exec(inFull(image)) ?? [];
  if (name === '' || name.length > MAX_NAME) return 'IfNotPresent';
  return (tag ?? (digest === undefined ? 'latest' : '')) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** With the host and the folder that are left out of the names of most images. */
function inFull(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const hasHost = /[.:]/.test(first) || first === 'localhost';
  const host = hasHost && first !== LEGACY_HOST ? first : DEFAULT_HOST;
  const path = hasHost ? image.slice(slash + 1) : image;
  return host === DEFAULT_HOST && !path.includes('/') ? `${host}/library/${path}` : `${host}/${path}`;
}
