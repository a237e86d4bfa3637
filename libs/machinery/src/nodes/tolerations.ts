/** A taint of a node. */
export interface TaintObject {
  /** Key of the taint. */
  readonly key?: string;
  /** Value of the taint; may be empty. */
  readonly value?: string;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  readonly effect?: string;
}

/** A toleration of a pod. */
export interface TolerationObject {
  /** Key of the taint. Absent or empty: every key. */
  readonly key?: string;
  /** Equal (default) or Exists. */
  readonly operator?: string;
  /** Value of the taint, with the operator Equal. */
  readonly value?: string;
  /** Absent or empty: every effect. */
  readonly effect?: string;
}

/** Whether a toleration means a taint. */
export function toleratesTaint(toleration: TolerationObject, taint: TaintObject): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== (taint.effect ?? '')) return false;
  if (key !== '' && key !== (taint.key ?? '')) return false;
  if (operator === '' || operator === 'Equal') return value === (taint.value ?? '');
  return operator === 'Exists';
}

/** Returns the first taint with one of the effects that no toleration means; undefined for none. */
export function untoleratedTaint<T extends TaintObject>(
  taints: readonly T[],
  tolerations: readonly TolerationObject[],
  effects: readonly string[],
): T | undefined {
  return taints.find(
    (taint) =>
      effects.includes(taint.effect ?? '') && !tolerations.some((toleration) => toleratesTaint(toleration, taint)),
  );
}
