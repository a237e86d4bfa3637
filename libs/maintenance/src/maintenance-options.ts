/** Options of what one server repairs and counts for the installation. */
export const maintenanceOptions = {
  'unused-claim-age': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: 'How long a claim on an address or node port must have been without a Service to be given up; at least twice --request-timeout. 0 never looks.',
  },
  'quota-verify-interval': {
    type: 'duration',
    default: 3_600_000,
    min: 0,
    help: 'How often each quota is counted again to see whether what it tells is true, one quota a second at most. 0 never looks.',
  },
} as const;
