/** The parts of Microsoft's client that are used. The whole of it would take three times as long to load. */
export { createContainerService } from '@azure/arm-containerservice/api';
export { $delete, createOrUpdate, get, list } from '@azure/arm-containerservice/api/agentPools';
