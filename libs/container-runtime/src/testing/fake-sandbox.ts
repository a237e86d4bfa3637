import type { ListedSandbox, SandboxConfig, SandboxState, SandboxStatus } from '../sandboxes.js';

/** A sandbox of the double. */
export class FakeSandbox {
  /** State now. */
  state: SandboxState = 'ready';

  constructor(
    readonly id: string,
    readonly config: SandboxConfig,
    private readonly createdAt: number,
    private readonly ip: string,
  ) {}

  /** Returns it as in lists. */
  listed(): ListedSandbox {
    const { metadata, labels, annotations, runtimeHandler = '' } = this.config;
    const { id, state, createdAt } = this;
    return { id, metadata, state, createdAt, labels, annotations, runtimeHandler };
  }

  /** Returns it with its network. */
  status(): SandboxStatus {
    const { namespaces } = this.config.security;
    const ips = this.state === 'ready' && namespaces.network === 'pod' ? [this.ip] : [];
    return { ...this.listed(), ips, namespaces };
  }
}
