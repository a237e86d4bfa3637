// The order in which the pages of docs/ are read. The site takes its sidebar from here, and tools/check-doc-paths.mjs checks that each page
// has exactly one place.

/** Groups of the sidebar in the reader's order; each page is a path below docs/ without its ending. */
export const GROUPS = [
  { text: 'Start', pages: ['what-is-orch', 'comparison', 'quick-start', 'how-it-works'] },
  {
    text: 'Tutorials',
    pages: [
      'tutorials/controller-go',
      'tutorials/controller-python',
      'tutorials/controller-typescript',
      'tutorials/gitops',
      'tutorials/many-watchers',
      'tutorials/own-postgresql',
      'tutorials/helm',
    ],
  },
  {
    text: 'Install and run',
    pages: [
      'deploy',
      'components',
      'scheduler',
      'node-agent',
      'operations',
      'upgrade',
      'backup',
      'monitoring',
      'limits',
    ],
  },
  {
    text: 'Secure',
    pages: [
      'security',
      'authentication',
      'service-accounts',
      'authorization',
      'certificates',
      'tls',
      'encryption',
      'rotation',
      'audit',
    ],
  },
  {
    text: 'Concepts',
    pages: [
      'custom-resources',
      'admission',
      'policies',
      'webhooks',
      'quota',
      'pod-security',
      'flow-control',
      'aggregation',
      'connections',
      'convert',
      'client',
    ],
  },
  { text: 'Reference', pages: ['reference', 'compatibility', 'conformance', 'validation', 'changelog'] },
  {
    text: 'Design and measurements',
    pages: [
      'reliability',
      'performance',
      'simulator',
      'design/bounds',
      'design/measurements',
      'design/measurements-requests',
      'design/measurements-watches',
      'design/measurements-changes',
      'design/measurements-features',
    ],
  },
  { text: 'Contribute', pages: ['architecture', 'extend', 'plan'] },
];
