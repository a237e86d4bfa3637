/** Objects that a step is tried on by turns. */
export const OBJECTS = 64;

const ROUNDS = 5;

/** Prints the CPU of a step in microseconds; of five rounds the best. @param times that it is done in a round */
export function measure(name: string, times: number, step: (index: number) => unknown): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) step(time % OBJECTS);
    const { user, system } = process.cpuUsage(before);
    // The first is for the compiler.
    if (round > 0) best = Math.min(best, (user + system) / times);
  }
  console.log(`${name.padEnd(42)} ${best.toFixed(1).padStart(6)}`);
}
