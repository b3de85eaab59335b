import { describe } from 'vitest';
import { startClusterApi } from '../../../../sim/cluster/server.ts';
import { clusterApiSuite } from './cluster-api-suite.ts';

describe('the simulated cluster API', () => {
  clusterApiSuite(() => startClusterApi({ file: ':memory:', port: 0, podsWaitForKubelet: true }));
});
