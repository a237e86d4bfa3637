/** Options of what one server repairs and counts for the installation. */
export const maintenanceOptions = {
  'unused-claim-age': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: 'Age at which a claim on an address or node port that no Service uses is released; at least twice --request-timeout. 0 disables this.',
  },
  'quota-verify-interval': {
    type: 'duration',
    default: 3_600_000,
    min: 0,
    help: 'How often the usage of each quota is counted again and corrected, at most one quota a second. 0 disables this.',
  },
} as const;
