/**
 * Which promise was broken; the first part is the validator's number in the table of README.md. `R` is what a scenario
 * itself demands: recovery in time, answers of the right kind, latency, streams that stay open, refusals that hold, what is served of
 * definitions, what is left of them, what quotas say, what webhooks have agreed to, and how often one is called that is down.
 */
export type Rule =
  | 'V1.linearizable'
  | 'V1.unexplained'
  | 'V1.refused'
  | 'V1.precondition'
  | 'V2.history'
  | 'V2.late-commit'
  | 'V2.initial'
  | 'V2.phantom'
  | 'V2.order'
  | 'V2.missing'
  | 'V2.content'
  | 'V2.bookmark'
  | 'V2.resumable'
  | 'V2.refused'
  | 'V3.lost'
  | 'V3.state'
  | 'V4.list'
  | 'V4.final'
  | 'V5.store'
  | 'V5.gone'
  | 'V6.back'
  | 'V7.generation'
  | 'V7.uid'
  | 'V7.idle'
  | 'V8.handles'
  | 'V8.memory'
  | 'R.recovery'
  | 'R.answer'
  | 'R.latency'
  | 'R.stream'
  | 'R.forbidden'
  | 'R.served'
  | 'R.left'
  | 'R.quota'
  | 'R.consent'
  | 'R.asked';

export interface Violation {
  readonly rule: Rule;
  readonly message: string;
}
