import { useKube } from '../../kube/use-kube.ts';
import { clusterConformance } from './conformance.ts';

clusterConformance('a real API server', async () => {
  const api = useKube().connect();
  return { api, close: async () => api.close() };
});
