import { basename, join } from 'node:path';
import { ProcessRuntime } from '@orch/container-runtime';
import { describeRuntime, type RuntimeUnderTest } from '@orch/container-runtime/contract';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { IMAGES, packImages } from './busybox-image.js';

describeRuntime('processes in namespaces', (dir) => start(dir, 'namespaces'), {
  ...{ hasNetwork: false, isolates: true, executes: true },
});

describeRuntime('processes without isolation', (dir) => start(dir, 'none'), {
  ...{ hasNetwork: false, isolates: false, executes: true },
});

async function start(dir: string, isolation: 'namespaces' | 'none'): Promise<RuntimeUnderTest> {
  installForNodes('busybox-static', 'bubblewrap');
  const images = join(dir, 'images');
  packImages(images);
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const options = { folder: join(dir, 'state'), images, isolation, onError };
  const runtime = await ProcessRuntime.open(options);
  if (errors.length > 0) throw new AggregateError(errors);
  const cgroup = `/orch-runtimes-${process.pid}`;
  const stop = async () => {
    for (const { id } of await runtime.listSandboxes()) await runtime.removeSandbox(id);
    await removeEmptiedGroup(basename(cgroup));
  };
  return { runtime, image: IMAGES.busybox, cgroup, reconnect: () => ProcessRuntime.open(options), stop };
}
