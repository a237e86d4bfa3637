export { type GrpcCode, GrpcError } from './grpc-error.js';
export { GrpcSocket } from './grpc-socket.js';
