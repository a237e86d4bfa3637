import { method } from './cri-service.js';

/** Methods of CRI's RuntimeService with the types of their messages. */
export const METHODS = {
  version: method('Version', 'VersionRequest', 'VersionResponse'),
  status: method('Status', 'StatusRequest', 'StatusResponse'),
  updateConfig: method('UpdateRuntimeConfig', 'UpdateRuntimeConfigRequest'),
  runSandbox: method('RunPodSandbox', 'RunSandboxRequest', 'Key'),
  stopSandbox: method('StopPodSandbox', 'Key'),
  removeSandbox: method('RemovePodSandbox', 'Key'),
  sandboxStatus: method('PodSandboxStatus', 'Key', 'SandboxStatusResponse'),
  listSandboxes: method('ListPodSandbox', 'ListSandboxesRequest', 'ListSandboxesResponse'),
  createContainer: method('CreateContainer', 'CreateContainerRequest', 'Key'),
  startContainer: method('StartContainer', 'Key'),
  stopContainer: method('StopContainer', 'StopContainerRequest'),
  removeContainer: method('RemoveContainer', 'Key'),
  containerStatus: method('ContainerStatus', 'Key', 'ContainerStatusResponse'),
  listContainers: method('ListContainers', 'ListContainersRequest', 'ListContainersResponse'),
  updateResources: method('UpdateContainerResources', 'UpdateResourcesRequest'),
  reopenLog: method('ReopenContainerLog', 'Key'),
  checkpoint: method('CheckpointContainer', 'CheckpointRequest'),
  execSync: method('ExecSync', 'ExecSyncRequest', 'ExecSyncResponse'),
  exec: method('Exec', 'ExecRequest', 'UrlResponse'),
  attach: method('Attach', 'AttachRequest', 'UrlResponse'),
  portForward: method('PortForward', 'PortForwardRequest', 'UrlResponse'),
  containerStatistics: method('ContainerStats', 'Key', 'ContainerStatisticsResponse'),
  listContainerStatistics: method(
    ...(['ListContainerStats', 'ListContainerStatisticsRequest', 'ListContainerStatisticsResponse'] as const),
  ),
  sandboxStatistics: method('PodSandboxStats', 'Key', 'SandboxStatisticsResponse'),
  listSandboxStatistics: method(
    ...(['ListPodSandboxStats', 'ListSandboxStatisticsRequest', 'ListSandboxStatisticsResponse'] as const),
  ),
  events: method('GetContainerEvents', 'Empty', 'ContainerEventResponse'),
} as const;
