// The X.509 library resolves its parts through decorators' metadata, which this import provides; it must come first.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
