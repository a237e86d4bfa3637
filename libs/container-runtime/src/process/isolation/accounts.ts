import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ContainerSecurity } from '../../containers.js';
import { RuntimeError } from '../../runtime-error.js';
import { confinedPath } from '../images/confined-path.js';

/** Bytes of an image's /etc/passwd or /etc/group. */
const LONGEST = 1 << 20;
const MOST_LINKS = 8;

/** User and groups of a container's processes. */
export interface Account {
  /** Numeric user. */
  readonly uid: number;
  /** Numeric group. */
  readonly gid: number;
  /** Further groups. */
  readonly groups: readonly number[];
}

/** Reads the lines of a file of an image, as fields; none if there is no such file. */
async function linesOf(root: string, path: string): Promise<string[][]> {
  let found = await confinedPath(root, path);
  for (let links = 0; found !== undefined && links <= MOST_LINKS; links++) {
    const stat = lstatSync(found, { throwIfNoEntry: false });
    // Nothing but what is no link itself is read: the system would follow it out of the root.
    if (stat?.isFile() && stat.size <= LONGEST)
      return readFileSync(found, 'utf8')
        .split('\n')
        .map((line) => line.split(':'));
    if (!stat?.isSymbolicLink()) return [];
    const target = readlinkSync(found);
    const inside = target.startsWith('/') ? target : join('/', relative(root, dirname(found)), target);
    found = await confinedPath(root, inside);
  }
  return [];
}

const numeric = (text: string): number | undefined => (/^\d{1,10}$/.test(text) ? Number(text) : undefined);

/**
 * Returns the account of a container: of its settings, else of its image, else root.
 *
 * @param user as in an image: `name`, `1000`, `1000:1000`
 * @throws RuntimeError `InvalidArgument` for a name that the image does not have
 */
export async function accountOf(root: string, user: string, security: ContainerSecurity): Promise<Account> {
  const { runAsUser, runAsUserName, runAsGroup, supplementalGroups = [] } = security;
  const [userText = '', groupText = ''] = runAsUser === undefined && runAsUserName === undefined ? user.split(':') : [];
  const name = runAsUserName ?? userText;
  const [passwd, group] = [await linesOf(root, 'etc/passwd'), await linesOf(root, 'etc/group')];
  const wanted = runAsUser ?? (name === '' ? 0 : numeric(name));
  const entry = passwd.find((fields) => (wanted === undefined ? fields[0] === name : fields[2] === String(wanted)));
  const uid = wanted ?? numeric(entry?.[2] ?? '');
  if (uid === undefined)
    throw new RuntimeError('InvalidArgument', `unable to find user ${name}: no matching entries in passwd file`);
  const named = group.find((fields) => fields[0] === groupText)?.[2];
  const ofImage = groupText === '' ? undefined : (numeric(groupText) ?? numeric(named ?? ''));
  if (groupText !== '' && ofImage === undefined)
    throw new RuntimeError('InvalidArgument', `unable to find group ${groupText}: no matching entries in group file`);
  const gid = runAsGroup ?? ofImage ?? numeric(entry?.[3] ?? '') ?? 0;
  const memberships = group
    .filter((fields) => entry?.[0] !== undefined && (fields[3] ?? '').split(',').includes(entry[0]))
    .flatMap((fields) => numeric(fields[2] ?? '') ?? []);
  return { uid, gid, groups: [...new Set([...memberships, ...supplementalGroups])] };
}
