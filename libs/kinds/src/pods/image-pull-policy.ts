/**
 * Pull policy of a container that names none: `Always` for the tag `latest`, also when it is only implied (neither
 * tag nor digest), else `IfNotPresent`.
 */
export function imagePullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const digest = image.indexOf('@');
  const reference = digest < 0 ? image : image.slice(0, digest);
  if (reference === '') return 'IfNotPresent';
  const colon = reference.lastIndexOf(':');
  const tag = colon > reference.lastIndexOf('/') ? reference.slice(colon + 1) : '';
  if (tag === '') return digest < 0 ? 'Always' : 'IfNotPresent';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
