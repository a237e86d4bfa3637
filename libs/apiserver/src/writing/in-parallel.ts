/**
 * Works on every item, so many at a time. After a failure nothing more is begun; what is under way is waited for.
 * @throws the first failure
 */
export async function inParallel<T>(
  pages: AsyncIterable<readonly T[]>,
  atATime: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => undefined;
  const begin = async (item: T): Promise<void> => {
    running++;
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
    running--;
    wake();
  };
  const fewerThan = async (count: number): Promise<void> => {
    while (running >= count) await new Promise<void>((resolve) => (wake = resolve));
  };
  try {
    for await (const page of pages) {
      for (const item of page) {
        await fewerThan(atATime);
        if (failure) break;
        void begin(item);
      }
      if (failure) break;
    }
  } finally {
    await fewerThan(1);
  }
  if (failure) throw failure.error;
}
