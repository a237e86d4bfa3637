import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Manifest } from './helm.js';

/** What lies in a Secret, decoded. */
export type SecretFiles = Readonly<Record<string, string>>;

/** A Secret as volumes name it: all of it, or some of its files by other names. */
interface Source {
  readonly secret: string;
  readonly items: readonly { key: string; path: string }[] | undefined;
}

/** What a kubelet makes of the first container of a Deployment, in a folder and without a container. */
export class Pod {
  readonly #mounts: readonly { folder: string; sources: readonly Source[] }[];
  readonly #container: Manifest['spec'];
  #edition = 0;

  /** `dir` stands for the root of the file system. */
  constructor(
    deployment: Manifest,
    private readonly dir: string,
    private readonly secrets: (name: string) => SecretFiles,
  ) {
    const { containers, volumes } = deployment.spec.template.spec;
    this.#container = containers[0];
    this.#mounts = (containers[0].volumeMounts as { name: string; mountPath: string }[]).map(({ name, mountPath }) => ({
      folder: join(dir, mountPath),
      sources: sourcesOf(volumes.find((volume: { name: string }) => volume.name === name)),
    }));
    this.sync();
  }

  /** The command line behind the program, with paths below the folder. */
  get args(): string[] {
    return this.#container.args.map((text: string) => text.replaceAll('/etc/orch/', join(this.dir, '/etc/orch/')));
  }

  get env(): Record<string, string> {
    type Variable = { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } };
    return Object.fromEntries(
      (this.#container.env as Variable[]).map(({ name, valueFrom: { secretKeyRef: ref } }) => [
        name,
        this.secrets(ref.name)[ref.key] ?? '',
      ]),
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

  /** Brings mounts to what the Secrets say now: new files beside the old ones, then the link from these to those. */
  sync(): void {
    const edition = `..${++this.#edition}`;
    for (const { folder, sources } of this.#mounts) {
      mkdirSync(folder, { recursive: true });
      for (const [path, text] of this.#filesOf(sources)) {
        mkdirSync(dirname(join(folder, edition, path)), { recursive: true });
        writeFileSync(join(folder, edition, path), text, { mode: 0o440 });
        const [top = ''] = path.split('/');
        if (this.#edition === 1) symlinkSync(join('..data', top), join(folder, top));
      }
      symlinkSync(edition, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
      rmSync(join(folder, `..${this.#edition - 1}`), { recursive: true, force: true });
    }
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

function sourcesOf({ secret, projected }: Manifest['spec']): Source[] {
  if (secret) return [{ secret: secret.secretName, items: secret.items }];
  return projected.sources.map((source: Manifest['spec']) => ({
    secret: source.secret.name,
    items: source.secret.items,
  }));
}
