import { parse, type Type } from 'protobufjs';

/**
 * Messages of the Container Runtime Interface, version 1, as far as they are used. Numbers are those of the interface;
 * names, which are not on the wire, are mostly those of this package's types, so that little is to be translated.
 */
const MESSAGES = `syntax = "proto3";
message Empty {}
message Int64Value { int64 value = 1; }
message UInt64Value { uint64 value = 1; }
message Key { string id = 1; }

message VersionRequest { string version = 1; }
message VersionResponse { string version = 1; string runtimeName = 2; string runtimeVersion = 3; string runtimeApiVersion = 4; }
message RuntimeCondition { string type = 1; bool status = 2; string reason = 3; string message = 4; }
message RuntimeStatus { repeated RuntimeCondition conditions = 1; }
message StatusRequest { bool verbose = 1; }
message StatusResponse { RuntimeStatus status = 1; map<string, string> info = 2; }
message NetworkConfig { string podCidr = 1; }
message RuntimeConfig { NetworkConfig network = 1; }
message UpdateRuntimeConfigRequest { RuntimeConfig config = 1; }

enum Protocol { TCP = 0; UDP = 1; SCTP = 2; }
enum NamespaceMode { pod = 0; container = 1; node = 2; target = 3; }
enum Propagation { private = 0; host_to_container = 1; bidirectional = 2; }
enum ProfileType { runtime_default = 0; unconfined = 1; localhost = 2; }
enum SandboxState { ready = 0; notready = 1; }
enum ContainerState { created = 0; running = 1; exited = 2; unknown = 3; }
enum EventType { created = 0; started = 1; stopped = 2; deleted = 3; }

message DnsConfig { repeated string servers = 1; repeated string searches = 2; repeated string options = 3; }
message PortMapping { Protocol protocol = 1; int32 containerPort = 2; int32 hostPort = 3; string hostIP = 4; }
message IdMapping { uint32 hostId = 1; uint32 containerId = 2; uint32 length = 3; }
message UserNamespace { NamespaceMode mode = 1; repeated IdMapping uids = 2; repeated IdMapping gids = 3; }
message NamespaceOptions {
  NamespaceMode network = 1; NamespaceMode pid = 2; NamespaceMode ipc = 3; string targetId = 4; UserNamespace users = 5;
}
message SecurityProfile { ProfileType type = 1; string localhostRef = 2; }
message SELinuxOptions { string user = 1; string role = 2; string type = 3; string level = 4; }
message HugepageLimit { string pageSize = 1; uint64 limit = 2; }
message Resources {
  int64 cpuPeriod = 1; int64 cpuQuota = 2; int64 cpuShares = 3; int64 memoryLimit = 4; int64 oomScoreAdj = 5;
  string cpusetCpus = 6; string cpusetMems = 7; repeated HugepageLimit hugepageLimits = 8;
  map<string, string> unified = 9; int64 memorySwapLimit = 10;
}

message SandboxSecurity {
  NamespaceOptions namespaces = 1; SELinuxOptions seLinux = 2; Int64Value runAsUser = 3; bool readOnlyRootFilesystem = 4;
  repeated int64 supplementalGroups = 5; bool privileged = 6; Int64Value runAsGroup = 8; SecurityProfile seccomp = 9;
}
message LinuxSandbox {
  string cgroupParent = 1; SandboxSecurity security = 2; map<string, string> sysctls = 3; Resources overhead = 4;
  Resources resources = 5;
}
message SandboxMetadata { string name = 1; string uid = 2; string namespace = 3; uint32 attempt = 4; }
message SandboxConfig {
  SandboxMetadata metadata = 1; string hostname = 2; string logDirectory = 3; DnsConfig dns = 4;
  repeated PortMapping portMappings = 5; map<string, string> labels = 6; map<string, string> annotations = 7;
  LinuxSandbox linux = 8;
}
message RunSandboxRequest { SandboxConfig config = 1; string runtimeHandler = 2; }
message SandboxStateValue { SandboxState state = 1; }
message SandboxFilter { string id = 1; SandboxStateValue state = 2; map<string, string> labels = 3; }
message ListSandboxesRequest { SandboxFilter filter = 1; }
message Sandbox {
  string id = 1; SandboxMetadata metadata = 2; SandboxState state = 3; int64 createdAt = 4; map<string, string> labels = 5;
  map<string, string> annotations = 6; string runtimeHandler = 7;
}
message ListSandboxesResponse { repeated Sandbox items = 1; }
message PodIP { string ip = 1; }
message SandboxNetwork { string ip = 1; repeated PodIP more = 2; }
message Namespaces { NamespaceOptions options = 2; }
message LinuxSandboxStatus { Namespaces namespaces = 1; }
message SandboxStatus {
  string id = 1; SandboxMetadata metadata = 2; SandboxState state = 3; int64 createdAt = 4; SandboxNetwork network = 5;
  LinuxSandboxStatus linux = 6; map<string, string> labels = 7; map<string, string> annotations = 8;
  string runtimeHandler = 9;
}
message SandboxStatusResponse { SandboxStatus status = 1; }

message ImageSpec { string image = 1; map<string, string> annotations = 2; }
message ContainerMetadata { string name = 1; uint32 attempt = 2; }
message EnvironmentVariable { string name = 1; string value = 2; }
message Mount {
  string containerPath = 1; string hostPath = 2; bool readOnly = 3; bool seLinuxRelabel = 4; Propagation propagation = 5;
  repeated IdMapping uidMappings = 6; repeated IdMapping gidMappings = 7;
}
message Device { string containerPath = 1; string hostPath = 2; string permissions = 3; }
message CdiDevice { string name = 1; }
message Capabilities { repeated string add = 1; repeated string drop = 2; }
message ContainerSecurity {
  Capabilities capabilities = 1; bool privileged = 2; NamespaceOptions namespaces = 3; SELinuxOptions seLinux = 4;
  Int64Value runAsUser = 5; string runAsUserName = 6; bool readOnlyRootFilesystem = 7;
  repeated int64 supplementalGroups = 8; bool noNewPrivileges = 11; Int64Value runAsGroup = 12;
  repeated string maskedPaths = 13; repeated string readOnlyPaths = 14; SecurityProfile seccomp = 15;
  SecurityProfile appArmor = 16;
}
message LinuxContainer { Resources resources = 1; ContainerSecurity security = 2; }
message ContainerConfig {
  ContainerMetadata metadata = 1; ImageSpec image = 2; repeated string command = 3; repeated string args = 4;
  string workingDir = 5; repeated EnvironmentVariable env = 6; repeated Mount mounts = 7; repeated Device devices = 8;
  map<string, string> labels = 9; map<string, string> annotations = 10; string logPath = 11; bool stdin = 12;
  bool stdinOnce = 13; bool tty = 14; LinuxContainer linux = 15; repeated CdiDevice cdiDevices = 17;
}
message CreateContainerRequest { string sandboxId = 1; ContainerConfig config = 2; SandboxConfig sandboxConfig = 3; }
message StopContainerRequest { string id = 1; int64 timeout = 2; }
message ContainerStateValue { ContainerState state = 1; }
message ContainerFilter { string id = 1; ContainerStateValue state = 2; string sandboxId = 3; map<string, string> labels = 4; }
message ListContainersRequest { ContainerFilter filter = 1; }
message Container {
  string id = 1; string sandboxId = 2; ContainerMetadata metadata = 3; ImageSpec image = 4; string imageRef = 5;
  ContainerState state = 6; int64 createdAt = 7; map<string, string> labels = 8; map<string, string> annotations = 9;
}
message ListContainersResponse { repeated Container items = 1; }
message ContainerResources { Resources linux = 1; }
message ContainerStatus {
  string id = 1; ContainerMetadata metadata = 2; ContainerState state = 3; int64 createdAt = 4; int64 startedAt = 5;
  int64 finishedAt = 6; int32 exitCode = 7; ImageSpec image = 8; string imageRef = 9; string reason = 10;
  string message = 11; map<string, string> labels = 12; map<string, string> annotations = 13; repeated Mount mounts = 14;
  string logPath = 15; ContainerResources resources = 16;
}
message ContainerStatusResponse { ContainerStatus status = 1; }
message UpdateResourcesRequest { string id = 1; Resources linux = 2; }
message CheckpointRequest { string id = 1; string location = 2; int64 timeout = 3; }
message ContainerEventResponse {
  string id = 1; EventType type = 2; int64 at = 3; SandboxStatus sandbox = 4;
}

message ExecSyncRequest { string containerId = 1; repeated string command = 2; int64 timeout = 3; }
message ExecSyncResponse { bytes stdout = 1; bytes stderr = 2; int32 exitCode = 3; }
message ExecRequest {
  string containerId = 1; repeated string command = 2; bool tty = 3; bool stdin = 4; bool stdout = 5; bool stderr = 6;
}
message AttachRequest { string containerId = 1; bool stdin = 2; bool tty = 3; bool stdout = 4; bool stderr = 5; }
message PortForwardRequest { string sandboxId = 1; repeated int32 ports = 2; }
message UrlResponse { string url = 1; }

message CpuUsage { int64 at = 1; UInt64Value usageCoreNanoseconds = 2; UInt64Value usageNanoCores = 3; }
message MemoryUsage {
  int64 at = 1; UInt64Value workingSetBytes = 2; UInt64Value availableBytes = 3; UInt64Value usageBytes = 4;
  UInt64Value rssBytes = 5; UInt64Value pageFaults = 6; UInt64Value majorPageFaults = 7;
}
message FilesystemId { string mountpoint = 1; }
message FilesystemUsage { int64 at = 1; FilesystemId id = 2; UInt64Value usedBytes = 3; UInt64Value inodesUsed = 4; }
message ContainerAttributes {
  string id = 1; ContainerMetadata metadata = 2; map<string, string> labels = 3; map<string, string> annotations = 4;
}
message ContainerStatistics {
  ContainerAttributes attributes = 1; CpuUsage cpu = 2; MemoryUsage memory = 3; FilesystemUsage writableLayer = 4;
}
message ContainerStatisticsResponse { ContainerStatistics stats = 1; }
message ContainerStatisticsFilter { string id = 1; string sandboxId = 2; map<string, string> labels = 3; }
message ListContainerStatisticsRequest { ContainerStatisticsFilter filter = 1; }
message ListContainerStatisticsResponse { repeated ContainerStatistics items = 1; }
message InterfaceUsage {
  string name = 1; UInt64Value rxBytes = 2; UInt64Value rxErrors = 3; UInt64Value txBytes = 4; UInt64Value txErrors = 5;
}
message NetworkUsage { int64 at = 1; InterfaceUsage default = 2; repeated InterfaceUsage interfaces = 3; }
message ProcessUsage { int64 at = 1; UInt64Value count = 2; }
message SandboxAttributes {
  string id = 1; SandboxMetadata metadata = 2; map<string, string> labels = 3; map<string, string> annotations = 4;
}
message LinuxSandboxStatistics {
  CpuUsage cpu = 1; MemoryUsage memory = 2; NetworkUsage network = 3; ProcessUsage process = 4;
  repeated ContainerStatistics containers = 5;
}
message SandboxStatistics { SandboxAttributes attributes = 1; LinuxSandboxStatistics linux = 2; }
message SandboxStatisticsResponse { SandboxStatistics stats = 1; }
message SandboxStatisticsFilter { string id = 1; map<string, string> labels = 2; }
message ListSandboxStatisticsRequest { SandboxStatisticsFilter filter = 1; }
message ListSandboxStatisticsResponse { repeated SandboxStatistics items = 1; }

message ImageFilter { ImageSpec image = 1; }
message ListImagesRequest { ImageFilter filter = 1; }
message Image {
  string id = 1; repeated string repoTags = 2; repeated string repoDigests = 3; uint64 size = 4; Int64Value uid = 5;
  string username = 6; bool pinned = 8;
}
message ListImagesResponse { repeated Image items = 1; }
message ImageRequest { ImageSpec image = 1; }
message ImageStatusResponse { Image image = 1; }
message RegistryAuth {
  string username = 1; string password = 2; string auth = 3; string serverAddress = 4; string identityToken = 5;
  string registryToken = 6;
}
message PullRequest { ImageSpec image = 1; RegistryAuth auth = 2; SandboxConfig sandbox = 3; }
message ImageFilesystemsResponse { repeated FilesystemUsage items = 1; }
`;

let parsed: ReturnType<typeof parse>['root'] | undefined;

/** Returns a type of messages by its name. */
function typeOf(name: string): Type {
  parsed ??= parse(MESSAGES).root;
  return parsed.lookupType(name);
}

/** Encodes a message; absent and undefined fields are left out. */
export const encode = (type: string, message: object): Uint8Array => {
  const found = typeOf(type);
  return found.encode(found.fromObject(message)).finish();
};

/**
 * Decodes a message. Absent messages are null, other absent fields have their default; enumerations are names, 64-bit
 * integers numbers.
 */
export const decode = (type: string, bytes: Uint8Array): object => {
  const found = typeOf(type);
  const options = { defaults: true, arrays: true, objects: true, enums: String, longs: Number };
  return found.toObject(found.decode(bytes), options);
};
