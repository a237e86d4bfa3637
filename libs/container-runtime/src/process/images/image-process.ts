/** Defaults for an image's processes. */
export interface ImageProcess {
  /** User, as `name`, `1000` or `1000:1000`; empty: root. */
  readonly User?: string;
  /** Variables, as `NAME=value`. */
  readonly Env?: readonly string[] | null;
  /** Program and first arguments. */
  readonly Entrypoint?: readonly string[] | null;
  /** Further arguments. */
  readonly Cmd?: readonly string[] | null;
  /** Working directory. */
  readonly WorkingDir?: string;
  /** Signal that ends its processes, as `SIGTERM` or `15`. */
  readonly StopSignal?: string;
}

const TEXTS = ['User', 'WorkingDir', 'StopSignal'] as const;
const LISTS = ['Env', 'Entrypoint', 'Cmd'] as const;

/** Reads the defaults of an image's configuration; absent ones are none. @throws Error for members of other types */
export function readImageProcess(value: unknown): ImageProcess {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('its config is no object');
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries([
    ...TEXTS.map((name) => [name, textOf(name, members[name] ?? '')]),
    ...LISTS.map((name) => [name, listOf(name, members[name] ?? [])]),
  ]);
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new Error(`its ${name} is no text`);
  return value;
}

function listOf(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw new Error(`its ${name} is no list of texts`);
  return value;
}
