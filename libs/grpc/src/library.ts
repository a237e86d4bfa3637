/** The parts of the library that are used, in a module that is loaded with the first connection. */
export { Client, connectivityState, credentials, Metadata } from '@grpc/grpc-js';
