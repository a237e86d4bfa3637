import type { Output } from '@orch/runtime';

const STEP = 10;

/** Writes a line for each tenth of the way that is done. `total` may be an estimate that grows. */
export function progressTo(output: Output): (done: number, total: number) => void {
  let reported = 0;
  return (done, total) => {
    const tenths = Math.floor((done / Math.max(total, 1)) * (100 / STEP)) * STEP;
    if (tenths <= reported) return;
    reported = tenths;
    output.write(`${tenths} % of ${inMebibytes(total)}\n`);
  };
}

/** Formats a number of bytes in MiB, with one decimal. */
export const inMebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
