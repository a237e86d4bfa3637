import { readdir, readFile, statfs } from 'node:fs/promises';
import { arch, availableParallelism, release } from 'node:os';
import { join } from 'node:path';

/** Facts about the machine. */
export interface Machine {
  /** Cores. */
  readonly cpus: number;
  /** Bytes of memory. */
  readonly memoryBytes: bigint;
  /** Bytes of the file system of pods. */
  readonly storageBytes: bigint;
  /** Bytes of huge pages by their size as resources name it: `2Mi`. */
  readonly hugePages: ReadonlyMap<string, bigint>;
  /** Architecture in the names of Go: `amd64`. */
  readonly architecture: string;
  /** Release of the kernel. */
  readonly kernelVersion: string;
  /** Name of the distribution. */
  readonly osImage: string;
  /** Id of the installation of the operating system. */
  readonly machineId: string;
  /** Id of the hardware; that of the installation where it has none. */
  readonly systemUuid: string;
  /** Id of this run of the kernel. */
  readonly bootId: string;
}

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
const HUGE_PAGES = '/sys/kernel/mm/hugepages';

/** Reads the facts about this machine. @param folder a path on the file system of pods, which exists */
export async function readMachine(folder: string): Promise<Machine> {
  const [memory, disk, hugePages, osRelease, machineId, uuid, bootId] = await Promise.all([
    textOf('/proc/meminfo'),
    statfs(folder, { bigint: true }),
    readHugePages(),
    textOf('/etc/os-release'),
    textOf('/etc/machine-id'),
    textOf('/sys/class/dmi/id/product_uuid'),
    textOf('/proc/sys/kernel/random/boot_id'),
  ]);
  return {
    cpus: availableParallelism(),
    memoryBytes: BigInt(/^MemTotal:\s+(\d+) kB/m.exec(memory)?.[1] ?? 0) * 1024n,
    storageBytes: disk.blocks * disk.bsize,
    hugePages,
    architecture: GO_ARCHITECTURES[arch()] ?? arch(),
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? 'Unknown',
    machineId,
    systemUuid: uuid || machineId,
    bootId,
  };
}

/** Reads a small file; empty if it cannot be read. */
async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return '';
  }
}

async function readHugePages(): Promise<Map<string, bigint>> {
  const found = new Map<string, bigint>();
  const names = await readdir(HUGE_PAGES).catch(() => []);
  for (const name of names) {
    const kib = BigInt(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
    const count = BigInt((await textOf(join(HUGE_PAGES, name, 'nr_hugepages'))) || 0);
    if (kib > 0n) found.set(sizeName(kib), kib * 1024n * count);
  }
  return found;
}

function sizeName(kib: bigint): string {
  for (const [suffix, unit] of [
    ['Gi', 1n << 20n],
    ['Mi', 1n << 10n],
  ] as const)
    if (kib % unit === 0n) return `${kib / unit}${suffix}`;
  return `${kib}Ki`;
}
