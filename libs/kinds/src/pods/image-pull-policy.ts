/**
 * Pull policy of a container that names none: `Always` for the tag `latest`, also when it is only implied (neither
 * tag nor digest), else `IfNotPresent`.
 */
export function imagePullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const [reference = '', digest] = image.split('@', 2);
  if (reference === '') return 'IfNotPresent';
  const tag = /:([^/:]+)$/.exec(reference)?.[1];
  if (tag === undefined) return digest === undefined ? 'Always' : 'IfNotPresent';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
