/** How bodies are encrypted at rest; names and meaning are the reference's. */
export const encryptionOptions = {
  'encryption-provider-config': {
    type: 'string',
    help: 'File of an EncryptionConfiguration: which resources are encrypted in the database and between servers, and with which providers. Every process that reads the database needs the same configuration.',
  },
  'encryption-provider-config-automatic-reload': {
    type: 'bool',
    default: true,
    help: 'Read the file of --encryption-provider-config again when it changes.',
  },
} as const;
