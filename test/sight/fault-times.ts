import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** File of the times that alerts took with the shipped rules, when they were last measured. */
const MEASURED = fileURLToPath(new URL('./measured.json', import.meta.url));

/** Seconds from a fault until its alert fired, and from its mending until the alert was gone; null where that was not seen. */
export interface MeasuredTime {
  readonly fires: number | null;
  readonly ends: number | null;
}

interface Mark {
  readonly alert: string;
  /** Seconds since 1970. */
  readonly faultAt: number;
  mendedAt?: number;
}

const now = () => Date.now() / 1000;

/** When faults were made and mended, by the alerts that tell of them. */
export class FaultMarks {
  readonly #marks: Mark[] = [];

  made(alerts: readonly string[]): void {
    const faultAt = now();
    this.#marks.push(...alerts.map((alert) => ({ alert, faultAt })));
  }

  /** All that there are. */
  mended(): void {
    for (const mark of this.#marks) mark.mendedAt ??= now();
  }

  /** Alerts of faults that are not mended. */
  get open(): string[] {
    return this.#marks.filter(({ mendedAt }) => mendedAt === undefined).map(({ alert }) => alert);
  }

  get alerts(): string[] {
    return [...new Set(this.#marks.map(({ alert }) => alert))];
  }

  /** Seconds since the first fault. */
  get lasted(): number {
    return Math.ceil(now() - Math.min(...this.#marks.map(({ faultAt }) => faultAt)));
  }

  /**
   * What the first fault of each alert took.
   * @param firings seconds since 1970 of the evaluations in which alerts fired, ascending, by alert
   * @param firing those that fire now
   * @param step seconds between evaluations
   */
  times(
    firings: ReadonlyMap<string, readonly number[]>,
    firing: readonly string[],
    step: number,
  ): Map<string, MeasuredTime> {
    const times = new Map<string, MeasuredTime>();
    for (const mark of this.#marks)
      if (!times.has(mark.alert)) times.set(mark.alert, timesOf(mark, firings.get(mark.alert) ?? [], step));
    for (const alert of firing) {
      const time = times.get(alert);
      if (time) times.set(alert, { ...time, ends: null });
    }
    return times;
  }
}

function timesOf({ faultAt, mendedAt = now() }: Mark, firings: readonly number[], step: number): MeasuredTime {
  const first = firings.find((at) => at >= faultAt);
  // One that had fired before tells nothing of this fault.
  const fired = firings.some((at) => at < faultAt && at >= faultAt - 2 * step);
  if (first === undefined || fired) return { fires: null, ends: null };
  let last = first;
  for (const at of firings) if (at > last && at - last < 2 * step) last = at;
  // It may have ended long before its fault was mended, by itself.
  const ends = last + step - mendedAt;
  return { fires: round(first - faultAt), ends: ends > -step ? round(Math.max(0, ends)) : null };
}

const round = (seconds: number): number => Math.round(seconds * 10) / 10;

export function measuredTimes(): ReadonlyMap<string, MeasuredTime> {
  if (!existsSync(MEASURED)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(MEASURED, 'utf8')) as Record<string, MeasuredTime>));
}

/** Keeps what was measured beside what was measured of other alerts. */
export function keepTimes(times: ReadonlyMap<string, MeasuredTime>): void {
  const all = [...measuredTimes(), ...times].sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(MEASURED, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
}
