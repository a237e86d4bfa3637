/**
 * Isolation of containers: `namespaces` as root, with users of the node; `user-namespaces` for other users, each
 * container with one user of its own; `none` with a process group and an environment only.
 */
export type IsolationLevel = 'namespaces' | 'user-namespaces' | 'none';
