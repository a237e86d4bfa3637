import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../tools/up/index.js';

/** Addresses within the namespaces of a run, which nothing outside sees. */
export const SERVER_ADDRESS = '172.31.0.1';
export const NODES = [
  { name: 'node-1', address: '172.31.0.11' },
  { name: 'node-2', address: '172.31.0.12' },
] as const;
export const SERVICES = '10.96.0.0/16';
/** The first of them is that of the API itself. */
export const SERVICE_OF_THE_API = '10.96.0.1';
export const PODS = '10.244.0.0/24';

/** Folders of networks of pods, which are the same on every machine; a run has its own in their place. */
const OWN_FOLDERS = ['/etc/cni', '/var/lib/cni'];
const CGROUPS = '/sys/fs/cgroup';

/** Writes a file, with the folders above it. */
export function put(path: string, text: string): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A line of the shell that mounts a folder of a run in the place of the machine's. */
export function bind(dir: string, folder: string): string {
  const own = join(dir, folder);
  for (const made of [own, folder]) mkdirSync(made, { recursive: true });
  return `mount --bind ${own} ${folder}`;
}

/**
 * Makes the namespaces that this process was started in a machine of its own: folders, a network, names. Throws unless they are
 * its own, as the machine's would be changed.
 *
 * @param outside the network namespace of the machine, as `/proc/self/ns/net` tells it there
 */
export function makePlace(dir: string, outside: string): void {
  if (readlinkSync('/proc/self/ns/net') === outside) throw new Error('this is to run in namespaces of its own');
  const hosts = NODES.map(({ name, address }) => `${address} ${name}\n`).join('');
  const mounts = [
    'mount --make-rshared /',
    ...OWN_FOLDERS.map((folder) => bind(join(dir, 'folders'), folder)),
    `mount --bind ${put(join(dir, 'hosts'), `127.0.0.1 localhost\n${hosts}`)} /etc/hosts`,
    `mount --bind ${put(join(dir, 'resolv.conf'), `nameserver ${SERVER_ADDRESS}\n`)} /etc/resolv.conf`,
  ];
  const addresses = [SERVER_ADDRESS, ...NODES.map(({ address }) => address)];
  const network = [
    'link set lo up',
    'link add node0 type bridge',
    ...addresses.map((address) => `addr add ${address}/24 dev node0`),
    'link set node0 up',
    `route add ${SERVICES} dev node0`,
  ];
  const lines = [...mounts, 'hostname node', ...network.map((line) => `ip ${line}`)];
  for (const line of lines) execFileSync('sh', ['-ec', line], { stdio: ['ignore', 'ignore', 'pipe'] });
  const settings = ['ipv4/ip_forward', 'bridge/bridge-nf-call-iptables', 'ipv4/conf/all/route_localnet'];
  for (const name of settings) if (existsSync(`/proc/sys/net/${name}`)) writeFileSync(`/proc/sys/net/${name}`, '1');
}

/** Hierarchies of control groups: one of version 2, several of version 1. */
const hierarchies = (): string[] =>
  existsSync(join(CGROUPS, 'cgroup.controllers')) ? [CGROUPS] : readdirSync(CGROUPS).map((name) => join(CGROUPS, name));

/** CPU weight of a control group in versions 1 and 2. The default is that of one process, and here are some twenty. */
const SHARES = { 'cpu.shares': 20_480, 'cpu.weight': 2_000 };

/** Makes a control group for pods, with its share of processors. */
export function makeControlGroup(name: string): void {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, name);
    const controllers = join(hierarchy, 'cgroup.controllers');
    if (existsSync(controllers)) {
      const all = readFileSync(controllers, 'utf8').trim().split(' ');
      writeFileSync(join(hierarchy, 'cgroup.subtree_control'), all.map((each) => `+${each}`).join(' '));
    }
    mkdirSync(group, { recursive: true });
    for (const [file, share] of Object.entries(SHARES))
      if (existsSync(join(group, file))) writeFileSync(join(group, file), String(share));
    // A group of version 1 may not be used before it is told which processors and memory it has.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if (hierarchy !== CGROUPS && existsSync(join(group, file)))
        writeFileSync(join(group, file), readFileSync(join(hierarchy, file)));
  }
}

/** Takes a control group away, and those in it, once no process is in one. */
export function removeControlGroup(name: string): void {
  const remove = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(folder, entry.name));
    rmdirSync(folder);
  };
  for (const hierarchy of hierarchies()) if (existsSync(join(hierarchy, name))) remove(join(hierarchy, name));
}

/** The same, once processes that were killed last have left their groups. @throws Error after ten seconds */
export function removeEmptiedGroup(name: string): Promise<void> {
  return waitUntil(`the control group ${name} is empty`, 10_000, () => {
    try {
      removeControlGroup(name);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false;
      throw error;
    }
  });
}
