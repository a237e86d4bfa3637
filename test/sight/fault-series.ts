/** A time series of promtool, and what it does while a fault lasts; samples come as the chart has Prometheus ask for them. */
export interface FaultSeries {
  readonly series: string;
  /** Its value before and after; what it grows by in a minute, for a counter. */
  readonly calm: number;
  /** The same during the fault; undefined where it is not there then. */
  readonly faulty: number | undefined;
  /** `gauge` has the values that are given, `counter` grows by them, `age` grows by a second each second while the fault lasts. */
  readonly kind: 'gauge' | 'counter' | 'age' | 'once';
}

/** A fault that makes an alert fire. */
export interface Fault {
  readonly alert: string;
  /** Told apart where an alert has two rules. */
  readonly severity?: 'critical' | 'warning';
  /** Description of the fault. */
  readonly fault: string;
  /** Effect of the fault on the scraped series. */
  readonly series: readonly FaultSeries[];
  /** Minutes before the fault, of it, and behind it. Default 15, 30 and 30. */
  readonly minutes?: readonly [before: number, during: number, after: number];
}

/** Returns the name of its alert, with the severity if two rules have the same name. */
export const nameOf = ({ alert, severity }: Fault): string => (severity ? `${alert}, ${severity}` : alert);

export const gauge = (series: string, calm: number, faulty: number): FaultSeries => ({
  series,
  calm,
  faulty,
  kind: 'gauge',
});
export const counter = (series: string, calm: number, faulty: number): FaultSeries => ({
  ...{ series, calm, faulty },
  kind: 'counter',
});
export const gone = (series: string): FaultSeries => ({ series, calm: 1, faulty: undefined, kind: 'gauge' });
export const age = (series: string): FaultSeries => ({ series, calm: 0, faulty: 0, kind: 'age' });
/** A counter that grows at the beginning of the fault alone. */
export const once = (series: string, by: number): FaultSeries => ({ series, calm: 0, faulty: by, kind: 'once' });
