/** What of the gRPC library the probe uses: a module of its own, as the bundle gives a package that is imported at run time no names. */
export { Client, credentials, Metadata } from '@grpc/grpc-js';
