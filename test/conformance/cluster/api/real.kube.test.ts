import { describe } from 'vitest';
import { defined } from '../../../../shared/base/defined.ts';
import { useKube } from '../../../kube/use-kube.ts';
import { clusterApiSuite } from './cluster-api-suite.ts';

describe('a real kube-apiserver', () => {
  clusterApiSuite(async () => {
    const { url, ca, token } = useKube().access;
    return {
      url,
      headers: { authorization: `Bearer ${token}` },
      ...defined({ ca }),
      close: async () => undefined,
    };
  });
});
