import { uidOf } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';

interface Written {
  /** The pod as the API has answered the last write. */
  readonly pod: Pod;
  /** Versions that are older than that. */
  readonly older: ReadonlySet<string>;
}

/** Pods as the API has answered own writes, for as long as a watch shows them as they were before. */
export class WrittenPods {
  readonly #written = new Map<string, Written>();

  /** Returns the newest state of a pod that is known. @param shown the pod as a watch shows it */
  newest(shown: Pod): Pod {
    const uid = uidOf(shown);
    const written = this.#written.get(uid);
    if (written?.older.has(versionOf(shown) ?? '')) return written.pod;
    this.#written.delete(uid);
    return shown;
  }

  /** Notes the answer to a write. @param before the pod that was changed */
  note(before: Pod, answer: Pod): void {
    const uid = uidOf(answer);
    const known = this.#written.get(uid);
    const versions = [...(known?.older ?? []), known && versionOf(known.pod), versionOf(before)];
    const older = new Set(versions.flatMap((version) => (version === versionOf(answer) ? [] : (version ?? []))));
    this.#written.set(uid, { pod: answer, older });
  }

  /** Forgets pods that are gone. @param wanted uids of all others */
  forgetAllBut(wanted: ReadonlySet<string>): void {
    for (const uid of this.#written.keys()) if (!wanted.has(uid)) this.#written.delete(uid);
  }
}

const versionOf = ({ metadata }: Pod): string | undefined => metadata?.resourceVersion;
