import { basename, join } from 'node:path';
import { CriRuntime } from '@orch/container-runtime';
import { describeRuntime, type RuntimeUnderTest } from '@orch/container-runtime/contract';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { IMAGES } from './busybox-image.js';
import { Containerd } from './containerd.js';

describeRuntime('containerd behind CRI', start, { hasNetwork: true, isolates: true, executes: true });

async function start(dir: string): Promise<RuntimeUnderTest> {
  installForNodes('busybox-static');
  const containerd = new Containerd(join(dir, 'containerd'));
  await containerd.start();
  const connect = () => new CriRuntime({ socket: containerd.socket });
  const runtime = connect();
  const cgroup = `/orch-runtimes-${process.pid}`;
  const stop = async () => {
    const cleaning = connect();
    for (const { id } of await cleaning.listSandboxes()) {
      await cleaning.stopSandbox(id);
      await cleaning.removeSandbox(id);
    }
    await cleaning.close();
    await containerd.stop();
    await removeEmptiedGroup(basename(cgroup));
  };
  return { runtime, image: IMAGES.busybox, cgroup, reconnect: () => Promise.resolve(connect()), stop };
}
