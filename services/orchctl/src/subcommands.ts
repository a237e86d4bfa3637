/** A subcommand; gets the arguments behind its name and resolves with the exit code. */
export type Subcommand = (args: readonly string[]) => Promise<number>;

/** Runs a subcommand by its name, or lists the names. Resolves with the exit code. */
export async function pick(
  subcommands: Readonly<Record<string, Subcommand>>,
  usage: string,
  [name = '', ...args]: readonly string[],
): Promise<number> {
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand) return subcommand(args);
  const asked = ['--help', '-h', 'help'].includes(name);
  (asked ? process.stdout : process.stderr).write(usage);
  return asked ? 0 : 1;
}
