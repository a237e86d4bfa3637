import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type Client } from '@orch/client';
import { namesOf, notFound } from '@orch/machinery';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Pod, PodSpec } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VolumeFile, writePayload } from './atomic-writer.js';
import { type ClaimedVolume, VolumeClaims } from './claims.js';
import { checkHostPath } from './host-path.js';
import { type Mounter, systemMounter } from './mounter.js';
import { giveToGroup } from './ownership.js';
import { commonUser } from './payloads.js';
import { PodFolders } from './pod-folders.js';
import { PodTokens } from './pod-tokens.js';
import { PodVolumes, VolumesError } from './pod-volumes.js';
import { makeFolderBelow, openBelow, pathOfOpen } from './safe-path.js';
import { mountSubPath } from './sub-path.js';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'volumes-')));
});
afterEach(() => rm(folder, { recursive: true }));

const group = process.getgid?.() ?? 0;
const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);
const payload = (files: Record<string, string | [string, number]>): Map<string, VolumeFile> =>
  new Map(
    Object.entries(files).map(([path, file]) => {
      const [text, mode] = typeof file === 'string' ? [file, 0o644] : file;
      return [path, { data: Buffer.from(text), mode }];
    }),
  );
const visible = async () => (await readdir(folder)).filter((name) => !name.startsWith('..')).sort();

describe('the files of a volume', () => {
  it('are seen through one link, with their modes', async () => {
    expect(await writePayload(folder, payload({ a: 'x', 'd/b': ['y', 0o400] }))).toBe(true);
    expect(await visible()).toEqual(['a', 'd']);
    expect(await readlink(join(folder, 'a'))).toBe('..data/a');
    expect(await readFile(join(folder, 'd/b'), 'utf8')).toBe('y');
    expect([await modeOf(join(folder, 'a')), await modeOf(join(folder, 'd/b'))]).toEqual(['644', '400']);
  });

  it('change as a whole, and go with their keys', async () => {
    await writePayload(folder, payload({ a: '1', b: '1' }));
    const before = await readlink(join(folder, '..data'));
    expect(await writePayload(folder, payload({ a: '1', b: '1' }))).toBe(false);
    expect(await writePayload(folder, payload({ a: '2', c: '2' }))).toBe(true);
    expect(await readlink(join(folder, '..data'))).not.toBe(before);
    expect(await visible()).toEqual(['a', 'c']);
    expect((await readdir(folder)).filter((name) => name.startsWith('..version'))).toHaveLength(1);
  });

  it('stay as they were when the new ones cannot be written', async () => {
    await writePayload(folder, payload({ a: '1' }));
    const fail = () => Promise.reject(new Error('no'));
    await expect(writePayload(folder, payload({ a: '2' }), fail)).rejects.toThrow('no');
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('1');
    expect((await readdir(folder)).filter((name) => name.startsWith('..version'))).toHaveLength(1);
  });

  it.each(['/etc/passwd', '../a', 'a/../../b', '..data', '', 'x'.repeat(4097)])('are refused at %s', async (path) => {
    await expect(writePayload(folder, payload({ [path]: 'x' }))).rejects.toThrow('invalid path');
    expect(await readdir(folder)).toEqual([]);
  });

  it('are given to a group', async () => {
    await mkdir(join(folder, 'd'));
    await writeFile(join(folder, 'd/f'), '');
    await chmod(join(folder, 'd/f'), 0o600);
    await symlink('/etc/passwd', join(folder, 'link'));
    const before = await modeOf('/etc/passwd');
    await giveToGroup(folder, { group, readOnly: false });
    expect([await modeOf(join(folder, 'd')), await modeOf(join(folder, 'd/f'))]).toEqual(['2775', '660']);
    expect(await modeOf('/etc/passwd')).toBe(before);
    await chmod(join(folder, 'd/f'), 0o600);
    await giveToGroup(folder, { group, readOnly: false, onRootMismatch: true });
    expect(await modeOf(join(folder, 'd/f'))).toBe('600');
  });

  it('are given to a group, and none that a link names which comes meanwhile', async () => {
    const [volume, outside] = [join(folder, 'volume'), join(folder, 'outside')];
    await mkdir(volume);
    await writeFile(outside, '', { mode: 0o600 });
    let goesOn = true;
    const exchange = async () => {
      while (goesOn) {
        await writeFile(join(volume, 'f'), '');
        await rm(join(volume, 'f'));
        await symlink(outside, join(volume, 'f'));
        await rm(join(volume, 'f'));
      }
    };
    const exchanging = exchange();
    for (let attempt = 0; attempt < 400; attempt++) await giveToGroup(volume, { group, readOnly: false });
    goesOn = false;
    await exchanging;
    expect(await modeOf(outside)).toBe('600');
  });
});

describe('a path below a volume', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'volume/in/deep'), { recursive: true });
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/secret'), 'secret');
    await symlink('in/deep', join(folder, 'volume/inner'));
    await symlink('../outside', join(folder, 'volume/outer'));
    await symlink('/', join(folder, 'volume/root'));
  });
  const volume = () => join(folder, 'volume');

  it('may go through links within it', async () => {
    const file = await openBelow(volume(), 'inner');
    expect(await realpath(pathOfOpen(file))).toBe(join(folder, 'volume/in/deep'));
    await file.close();
  });

  it.each(['outer', 'outer/secret', 'root/etc', '../outside', '/etc'])('never leaves it by %s', async (path) => {
    await expect(openBelow(volume(), path)).rejects.toMatchObject({ name: 'PathEscapeError' });
  });

  it.each(['outer/new', 'root/tmp/new/more'])('is not made outside by %s', async (path) => {
    await expect(makeFolderBelow(volume(), path, 0o777)).rejects.toMatchObject({ name: 'PathEscapeError' });
    expect(await readdir(join(folder, 'outside'))).toEqual(['secret']);
  });

  it('is made with the mode that is asked for', async () => {
    await makeFolderBelow(volume(), 'inner/x/y', 0o777);
    expect(await modeOf(join(folder, 'volume/in/deep/x/y'))).toBe('777');
  });

  it('is safe from links that are changed meanwhile', async () => {
    // Whoever can write the volume exchanges a folder for a link out of it, again and again.
    let goesOn = true;
    const exchange = async () => {
      while (goesOn) {
        await rename(join(volume(), 'in'), join(volume(), 'away'));
        await symlink('../outside', join(volume(), 'in'));
        await rm(join(volume(), 'in'));
        await rename(join(volume(), 'away'), join(volume(), 'in'));
        // Some turns, so that an attempt may succeed too.
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const exchanging = exchange();
    let opened = 0;
    for (let attempt = 0; attempt < 400; attempt++) {
      try {
        const file = await openBelow(volume(), 'in/deep');
        const place = await readlink(pathOfOpen(file));
        await file.close();
        expect(place).toMatch(/volume\/(in|away)\/deep$/);
        opened++;
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code ?? (error as Error).name).toMatch(
          /ENOENT|PathEscapeError|ENOTDIR/,
        );
      }
    }
    goesOn = false;
    await exchanging;
    expect(opened).toBeGreaterThan(0);
  });
});

/** Mounts in memory: places in the order of the mounts. */
class RecordedMounts implements Mounter {
  readonly places: string[] = [];
  readonly sources = new Map<string, string>();

  async memory(target: string, bytes: number) {
    this.places.push(target);
    this.sources.set(target, `memory ${bytes}`);
    await chmod(target, 0o1777); // as the kernel makes it
  }

  async bind(source: string, target: string) {
    this.places.push(target);
    this.sources.set(target, await realpath(source));
  }

  async disk(device: string, target: string, fsType: string) {
    this.places.push(target);
    this.sources.set(target, `${fsType} on ${device}`);
  }

  async unmount(target: string) {
    this.places.splice(this.places.lastIndexOf(target), 1);
  }

  async mountsBelow(path: string) {
    return this.places.filter((place) => place === path || place.startsWith(`${path}/`));
  }
}

describe('a part of a volume', () => {
  it('is mounted by what was opened, once; a missing one is a folder', async () => {
    const mounter = new RecordedMounts();
    await mkdir(join(folder, 'volume'));
    await chmod(join(folder, 'volume'), 0o2770);
    await writeFile(join(folder, 'volume/file'), 'x');
    const target = (name: string) => join(folder, 'targets', name);
    for (const path of ['a/b', 'file', 'file'])
      await mountSubPath({ volume: join(folder, 'volume'), path, target: target(path) }, mounter);
    expect(Object.fromEntries(mounter.sources)).toEqual({
      [target('a/b')]: join(folder, 'volume/a/b'),
      [target('file')]: join(folder, 'volume/file'),
    });
    expect((await lstat(target('file'))).isFile()).toBe(true);
    expect(await modeOf(join(folder, 'volume/a/b'))).toBe('2770');
    expect(mounter.places).toHaveLength(2);
  });
});

describe('hostPath', () => {
  it('checks the type, and makes what it may', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(join(folder, 'socket'), resolve));
    const good: [string, string][] = [
      [file, ''],
      [file, 'File'],
      [folder, 'Directory'],
      [join(folder, 'new/folder'), 'DirectoryOrCreate'],
      [join(folder, 'new/file'), 'FileOrCreate'],
      [join(folder, 'socket'), 'Socket'],
      ['/dev/null', 'CharDevice'],
      [join(folder, 'none'), ''],
    ];
    for (const [path, type] of good) await checkHostPath(path, type);
    expect([await modeOf(join(folder, 'new/folder')), await modeOf(join(folder, 'new/file'))]).toEqual(['755', '644']);
    const bad: [string, string, string][] = [
      [file, 'Directory', 'is not a directory'],
      [folder, 'File', 'is not a file'],
      [file, 'Socket', 'is not a socket file'],
      [file, 'BlockDevice', 'is not a block device'],
      [join(folder, 'none'), 'Directory', 'is not a directory'],
      [file, 'DirectoryOrCreate', 'is not a directory'],
      [`${folder}/../x`, '', "must not contain '..'"],
      [file, 'Other', 'invalid volume type'],
    ];
    for (const [path, type, message] of bad) await expect(checkHostPath(path, type)).rejects.toThrow(message);
    socket.close();
  });
});

const missing = (resource: string, name: string) => new ApiError(notFound({ group: '', resource }, name).status);
const b64 = (text: string) => Buffer.from(text).toString('base64');

describe('the volumes of a pod', () => {
  let mounter: RecordedMounts;
  let volumes: PodVolumes;
  let data: Record<string, string>;
  let claimed: ClaimedVolume | undefined;
  beforeEach(() => {
    mounter = new RecordedMounts();
    claimed = undefined;
    data = { key: '1' };
    const objects = {
      configMap: async (_namespace: string, name: string) => {
        if (name === 'none') throw missing('configmap', name);
        return { data, binaryData: { bin: b64('\u0000') } };
      },
      secret: async () => ({ data: { password: b64('s') } }),
    };
    volumes = new PodVolumes({
      folders: new PodFolders(folder),
      mounter,
      inputs: (pod) => ({
        pod,
        objects,
        addresses: { podIPs: [], hostIP: '10.0.0.1' },
        allocatable: {},
        token: async ({ audience = '' }) => `token for ${audience}`,
      }),
      claims: {
        async resolve() {
          if (!claimed) throw new Error('no such claim');
          return claimed;
        },
      },
    });
  });

  const podOf = (spec: PodSpec): Pod => ({
    metadata: { name: 'p', namespace: 'ns', uid: 'u1', labels: { app: 'x' } },
    spec: {
      ...spec,
      containers: [
        { name: 'c', volumeMounts: (spec.volumes ?? []).map(({ name = '' }) => ({ name, mountPath: `/${name}` })) },
      ],
    },
  });
  const read = (type: string, name: string, path: string) =>
    readFile(join(folder, 'pods/u1/volumes', `kubernetes.io~${type}`, name, path), 'utf8');

  it('are made of objects, and follow them', async () => {
    const pod = podOf({
      volumes: [
        { name: 'cm', configMap: { name: 'cm' } },
        {
          name: 's',
          secret: { secretName: 's', items: [{ key: 'password', path: 'd/p', mode: 0o400 }], defaultMode: 0o640 },
        },
        { name: 'down', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        {
          name: 'all',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'token', audience: 'api' } },
              { configMap: { name: 'cm', items: [{ key: 'key', path: 'ca.crt' }] } },
              { secret: { name: 'none', optional: true } },
            ],
          },
        },
      ],
    });
    const ready = await volumes.setUp(pod);
    expect(ready.get('cm')?.readOnly).toBe(true);
    expect(await read('configmap', 'cm', 'key')).toBe('1');
    expect(await read('configmap', 'cm', 'bin')).toBe('\u0000');
    expect(await read('secret', 's', 'd/p')).toBe('s');
    expect(await modeOf(join(folder, 'pods/u1/volumes/kubernetes.io~secret/s/d/p'))).toBe('400');
    expect(await read('downward-api', 'down', 'labels')).toBe('app="x"');
    expect(await read('projected', 'all', 'token')).toBe('token for api');
    expect(await read('projected', 'all', 'ca.crt')).toBe('1');
    data = { key: '2' };
    await volumes.setUp(pod);
    expect(await read('configmap', 'cm', 'key')).toBe('2');
  });

  const SECRETS: PodSpec = {
    containers: [],
    volumes: [
      { name: 's', secret: { secretName: 's' } },
      { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'api' } }] } },
      { name: 'cm', configMap: { name: 'cm' } },
    ],
  };
  const inPod = (path: string) => join(folder, 'pods/u1/volumes', path);

  it('of Secrets and tokens are in memory, once', async () => {
    await volumes.setUp(podOf(SECRETS));
    await volumes.setUp(podOf(SECRETS));
    expect(mounter.places).toEqual([inPod('kubernetes.io~secret/s'), inPod('kubernetes.io~projected/all')]);
    expect([...mounter.sources.values()]).toEqual(['memory 0', 'memory 0']);
    await volumes.tearDown('u1');
    expect(mounter.places).toEqual([]);
  });

  it('of Secrets are on the disk where the agent may not mount, or containers use them already', async () => {
    let attempts = 0;
    mounter.memory = () => Promise.reject(new Error(`not permitted ${++attempts}`));
    await volumes.setUp(podOf(SECRETS));
    expect(await read('secret', 's', 'password')).toBe('s');
    expect(attempts).toBe(1);
    const { memory } = new RecordedMounts();
    mounter.memory = memory;
    await volumes.setUp(podOf(SECRETS));
    expect(mounter.places).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('of Secrets are really in memory, and nothing is left of them', async () => {
    const real = new PodVolumes({
      ...{ folders: new PodFolders(folder), mounter: systemMounter },
      inputs: (pod) => ({
        ...{ pod, addresses: { podIPs: [], hostIP: '' }, allocatable: {}, token: async () => 't' },
        objects: { configMap: async () => ({}), secret: async () => ({ data: { password: b64('s') } }) },
      }),
    });
    const path = (await real.setUp(podOf(SECRETS))).get('s')?.path ?? '';
    expect(await readFile(join(path, 'password'), 'utf8')).toBe('s');
    expect(await modeOf(path)).toBe('755');
    expect(await systemMounter.mountsBelow(folder)).toContain(path);
    await real.tearDown('u1');
    expect(await systemMounter.mountsBelow(folder)).toEqual([]);
    expect(await readdir(inPod('..'))).toEqual([]);
  });

  it('that are empty keep what containers write, and may be in memory', async () => {
    const pod = podOf({
      volumes: [
        { name: 'e', emptyDir: {} },
        { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      ],
      securityContext: { fsGroup: group },
    });
    const path = (await volumes.setUp(pod)).get('e')?.path ?? '';
    expect(await modeOf(path)).toBe('2777');
    expect(await modeOf(path.replace(/e$/, 'm'))).toBe('3777');
    await writeFile(join(path, 'f'), 'x');
    await volumes.setUp(pod);
    expect(await readFile(join(path, 'f'), 'utf8')).toBe('x');
    expect([...mounter.sources.values()]).toEqual(['memory 1048576']);
  });

  it('that are claimed are given to the group of the first pod that has them, by whatever link', async () => {
    const place = join(folder, 'local');
    await mkdir(place, { mode: 0o700 });
    await symlink(place, join(folder, 'link'));
    claimed = { path: join(folder, 'link'), isOwned: true };
    const spec = {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }],
      securityContext: { fsGroup: group },
    };
    const [first, second] = ['u1', 'u2'].map((uid): Pod => ({ ...podOf(spec), metadata: { name: uid, uid } }));
    await volumes.setUp(first as Pod);
    expect(await modeOf(place)).toBe('2770');
    // What containers change stays, until nobody has the volume any more.
    await chmod(place, 0o700);
    await volumes.setUp(first as Pod);
    await volumes.setUp(second as Pod);
    await volumes.tearDown('u1');
    await volumes.setUp(second as Pod);
    expect(await modeOf(place)).toBe('700');
    await volumes.tearDown('u2');
    await volumes.setUp(first as Pod);
    expect(await modeOf(place)).toBe('2770');
  });

  it('that are disks are mounted once, and given to the group where they are mounted', async () => {
    const disk = join(folder, 'disk');
    await writeFile(disk, '');
    claimed = { path: disk, isOwned: true, device: 'disk', fsType: 'xfs' };
    const spec = {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }],
      securityContext: { fsGroup: group },
    };
    for (let time = 0; time < 2; time++) {
      const { path = '' } = (await volumes.setUp(podOf(spec))).get('v') ?? {};
      expect([...mounter.sources]).toEqual([[path, `xfs on ${disk}`]]);
      expect(await modeOf(path)).toBe('2770');
    }
    expect(mounter.places).toHaveLength(1);
    await volumes.tearDown('u1');
    for (const fsType of ['', undefined]) {
      claimed = { path: disk, isOwned: true, device: 'disk', ...(fsType !== undefined && { fsType }) };
      await volumes.setUp(podOf(spec));
      expect([...mounter.sources.values()]).toEqual([`ext4 on ${disk}`]);
      await volumes.tearDown('u1');
    }
  });

  it('that are block devices are for containers that have them as devices', async () => {
    claimed = { path: '/dev/x', isOwned: false, device: 'raw' };
    const volume = { name: 'v', persistentVolumeClaim: { claimName: 'x' } };
    const asDevice = { ...podOf({ volumes: [volume] }) };
    const container = { name: 'c', volumeDevices: [{ name: 'v', devicePath: '/dev/y' }] };
    asDevice.spec = { ...asDevice.spec, containers: [container] };
    expect((await volumes.setUp(asDevice)).get('v')).toEqual({ path: '/dev/x', readOnly: false, isDevice: true });
    const mounted = await volumes.setUp(podOf({ volumes: [volume] })).catch((error: unknown) => error);
    expect([...(mounted as VolumesError).failures.values()].join()).toContain(
      'volume v has volumeMode Block, but is specified in volumeMounts',
    );
    claimed = { path: folder, isOwned: false };
    const wrong = await volumes.setUp(asDevice).catch((error: unknown) => error);
    expect([...(wrong as VolumesError).failures.values()].join()).toContain(
      'volume v has volumeMode Filesystem, but is specified in volumeDevices',
    );
  });

  it('that are empty can be written to, also where the agent ended while it made them', async () => {
    const place = join(folder, 'pods/u1/volumes/kubernetes.io~empty-dir/e');
    await mkdir(`${place}.making`, { recursive: true, mode: 0o700 });
    await volumes.setUp(podOf({ volumes: [{ name: 'e', emptyDir: {} }] }));
    expect(await modeOf(place)).toBe('777');
    expect(await readdir(join(place, '..'))).toEqual(['e']);
  });

  it('are reported one by one when they are not ready', async () => {
    const pod = podOf({
      volumes: [
        { name: 'a', configMap: { name: 'none' } },
        { name: 'b', nfs: { server: 'x', path: '/' } },
        { name: 'c', configMap: { name: 'none', optional: true } },
        { name: 'd', configMap: { name: 'cm', items: [{ key: 'none', path: 'x' }] } },
        { name: 'e', persistentVolumeClaim: { claimName: 'x' } },
      ],
    });
    const failure = await volumes.setUp(pod).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(VolumesError);
    expect([...(failure as VolumesError).failures.values()]).toEqual([
      'MountVolume.SetUp failed for volume "a" : configmap "none" not found',
      'MountVolume.SetUp failed for volume "b" : volumes of the type nfs are not offered by this node',
      'MountVolume.SetUp failed for volume "d" : configmap references non-existent config key: none',
      'MountVolume.SetUp failed for volume "e" : no such claim',
    ]);
  });

  it('that no container mounts are not made', async () => {
    const pod = podOf({ volumes: [{ name: 'a', emptyDir: {} }] });
    expect((await volumes.setUp({ ...pod, spec: { ...pod.spec, containers: [{ name: 'c' }] } })).size).toBe(0);
  });

  it('are unmounted before they are removed, or not removed', async () => {
    await volumes.setUp(podOf({ volumes: [{ name: 'm', emptyDir: { medium: 'Memory' } }] }));
    expect(await volumes.known()).toEqual(['u1']);
    const unmount = mounter.unmount;
    mounter.unmount = async () => undefined;
    await expect(volumes.tearDown('u1')).rejects.toThrow('still mounted');
    mounter.unmount = unmount;
    await volumes.tearDown('u1');
    expect([await volumes.known(), mounter.places]).toEqual([['u1'], []]);
    expect(await readdir(join(folder, 'pods/u1'))).toEqual([]);
    await volumes.remove('u1');
    expect(await volumes.known()).toEqual([]);
    await expect(volumes.tearDown('../x')).rejects.toThrow('uid');
  });
});

describe('the user of a pod', () => {
  it('is that of all of its containers', () => {
    expect(commonUser({ spec: { containers: [{}, {}], securityContext: { runAsUser: 5 } } })).toBe(5);
    expect(commonUser({ spec: { containers: [{}, { securityContext: { runAsUser: 5 } }] } })).toBeUndefined();
    expect(commonUser({ spec: { containers: [{}] } })).toBeUndefined();
  });
});

describe('claims', () => {
  const objects: Record<string, object> = {
    bound: { metadata: { uid: 'c1' }, spec: { volumeName: 'local' }, status: { phase: 'Bound' } },
    pending: { metadata: { uid: 'c2' }, spec: {}, status: { phase: 'Pending' } },
    stolen: { metadata: { uid: 'c3' }, spec: { volumeName: 'local' }, status: { phase: 'Bound' } },
    'p-eph': { metadata: { uid: 'c4' }, spec: { volumeName: 'local' }, status: { phase: 'Bound' } },
  };
  const client = {
    async get(ref: { resource: string }, name: string) {
      const local = { spec: { claimRef: { uid: 'c1' }, local: { path: folder } } };
      const found = ref.resource === 'persistentvolumes' ? local : objects[name];
      if (!found) throw missing(ref.resource, name);
      return found;
    },
  } as unknown as Pick<Client, 'get'>;
  const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: 'u' } };
  const resolve = (claimName: string) =>
    new VolumeClaims(client, () => ({})).resolve(pod, { name: 'v', persistentVolumeClaim: { claimName } });

  it('lead to the volume that they are bound to', async () => {
    expect(await resolve('bound')).toEqual({ path: folder, isOwned: true });
    await expect(resolve('pending')).rejects.toThrow('error processing PVC ns/pending: PVC is not bound');
    await expect(resolve('stolen')).rejects.toThrow('bound to another claim');
    await expect(resolve('none')).rejects.toThrow('"none" not found');
    objects.raw = {
      metadata: { uid: 'c1' },
      spec: { volumeName: 'local', volumeMode: 'Block' },
      status: { phase: 'Bound' },
    };
    await expect(resolve('raw')).rejects.toThrow(`${folder} is not a block device`);
    const ephemeral = new VolumeClaims(client, () => ({})).resolve(pod, { name: 'eph', ephemeral: {} });
    await expect(ephemeral).rejects.toThrow('PVC ns/p-eph was not created for pod ns/p');
  });
});

describe('tokens of service accounts', () => {
  it('are kept for 80 % of their life, and while they are valid when none can be had', async () => {
    const clock = new ManualClock();
    let requests = 0;
    let isDown = false;
    const client = {
      names: namesOf('kubernetes'),
      async create(_ref: unknown, request: { spec: { expirationSeconds: number } }, _query: unknown, options: unknown) {
        if (isDown) throw new Error('down');
        expect(options).toEqual({ name: 'sa', subresource: 'token' });
        const expirationTimestamp = new Date(clock.wall() + request.spec.expirationSeconds * 1000).toISOString();
        return { ...request, status: { token: `t${++requests}`, expirationTimestamp } };
      },
    } as unknown as Pick<Client, 'create' | 'names'>;
    const tokens = new PodTokens({ client, clock, logger: silentLogger, random: () => 0 });
    const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: 'u' }, spec: { serviceAccountName: 'sa' } };
    const token = () => tokens.token(pod, { expirationSeconds: 1000 });
    expect(await token()).toBe('t1');
    await clock.advance(799_000);
    expect(await token()).toBe('t1');
    await clock.advance(2_000);
    expect(await token()).toBe('t2');
    isDown = true;
    await clock.advance(900_000);
    expect(await token()).toBe('t2');
    await clock.advance(200_000);
    await expect(token()).rejects.toThrow('expired and refresh failed: down');
    tokens.forget('u');
    await expect(token()).rejects.toThrow('failed to fetch token: down');
  });
});
