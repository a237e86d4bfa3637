import type { VersionInfo } from '@orch/discovery';
import type { Metrics } from '@orch/runtime';

/** Reports the build of this process: its version, platform and compiler. */
export function observeBuild(metrics: Metrics, version: VersionInfo): void {
  metrics
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Always 1; the labels describe the running build.',
      labels: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'compiler', 'platform'],
    })
    .with(
      version.major,
      version.minor,
      version.gitVersion,
      version.gitCommit,
      version.gitTreeState,
      version.buildDate,
      version.compiler,
      version.platform,
    )
    .set(1);
}
