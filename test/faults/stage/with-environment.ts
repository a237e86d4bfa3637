/** Starts processes with further variables in their environment; those of this process are as before afterwards. */
export async function withEnvironment<T>(
  variables: Readonly<Record<string, string>>,
  start: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await start();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
