/** Names of the gRPC library that the probe uses. The bundle gives a package that is imported at run time no names, a module of ours has them. */
export { Client, credentials, Metadata } from '@grpc/grpc-js';
