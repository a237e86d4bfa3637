import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Manifest } from './helm.js';

/** The files in a Secret (decoded) or ConfigMap. */
export type SecretFiles = Readonly<Record<string, string>>;

/** A Secret or ConfigMap as volumes name it: all of it, or some of its files by other names. */
interface Source {
  readonly secret: string;
  readonly items: readonly { key: string; path: string }[] | undefined;
}

/** Runs the first container of a Deployment as a kubelet would, in a folder and without a container. */
export class Pod {
  readonly #mounts: readonly Mount[];
  readonly #container: Manifest['spec'];

  /** `dir` stands for the root of the file system. */
  constructor(
    deployment: Manifest,
    private readonly dir: string,
    private readonly secrets: (name: string) => SecretFiles,
  ) {
    const { containers, volumes } = deployment.spec.template.spec;
    this.#container = containers[0];
    this.#mounts = (containers[0].volumeMounts as { name: string; mountPath: string }[]).map(({ name, mountPath }) => {
      const sources = sourcesOf(volumes.find((volume: { name: string }) => volume.name === name));
      return new Mount(join(dir, mountPath), sources);
    });
    this.sync();
  }

  /** The command line behind the program, with paths below the folder. */
  get args(): string[] {
    return this.#container.args.map((text: string) => text.replaceAll('/etc/orch/', join(this.dir, '/etc/orch/')));
  }

  /** Variables that come from Secrets. */
  get env(): Record<string, string> {
    type Variable = { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } };
    const variables = ((this.#container.env ?? []) as Partial<Variable>[]).filter(
      (variable): variable is Variable => variable.valueFrom?.secretKeyRef !== undefined,
    );
    return Object.fromEntries(
      variables.map(({ name, valueFrom: { secretKeyRef: ref } }) => [name, this.secrets(ref.name)[ref.key] ?? '']),
    );
  }

  /** All files that are mounted now, by their paths as the container sees them. */
  get files(): ReadonlyMap<string, string> {
    return new Map(
      this.#mounts.flatMap(({ folder, sources }) =>
        [...this.#filesOf(sources)].map(
          ([path, text]) => [`/${relative(this.dir, join(folder, path))}`, text] as const,
        ),
      ),
    );
  }

  /** Brings mounts to what the Secrets say now. */
  sync(): void {
    for (const mount of this.#mounts) mount.sync(this.#filesOf(mount.sources));
  }

  #filesOf(sources: readonly Source[]): Map<string, string> {
    const files = new Map<string, string>();
    for (const { secret, items } of sources) {
      const content = this.secrets(secret);
      for (const { key, path } of items ?? Object.keys(content).map((name) => ({ key: name, path: name }))) {
        const text = content[key];
        if (text === undefined) throw new Error(`there is no ${key} in the Secret ${secret}`);
        files.set(path, text);
      }
    }
    return files;
  }
}

/** A folder of a volume: new files beside the old ones, then the link from these to those; what says the same is left alone. */
class Mount {
  #edition = 0;
  #shown: string | undefined;

  constructor(
    readonly folder: string,
    readonly sources: readonly Source[],
  ) {}

  sync(files: ReadonlyMap<string, string>): void {
    const { folder } = this;
    const said = JSON.stringify([...files]);
    if (said === this.#shown) return;
    this.#shown = said;
    const edition = `..${++this.#edition}`;
    mkdirSync(join(folder, edition), { recursive: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, edition, path)), { recursive: true });
      writeFileSync(join(folder, edition, path), text, { mode: 0o440 });
    }
    const tops = new Set([...files.keys()].map((path) => path.split('/')[0] ?? ''));
    if (this.#edition === 1) for (const top of tops) symlinkSync(join('..data', top), join(folder, top));
    symlinkSync(edition, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    rmSync(join(folder, `..${this.#edition - 1}`), { recursive: true, force: true });
  }
}

function sourcesOf({ secret, configMap, projected, emptyDir }: Manifest['spec']): Source[] {
  if (emptyDir) return [];
  if (secret) return [{ secret: secret.secretName, items: secret.items }];
  if (configMap) return [{ secret: configMap.name, items: configMap.items }];
  return projected.sources.map((source: Manifest['spec']) => ({
    secret: source.secret.name,
    items: source.secret.items,
  }));
}
