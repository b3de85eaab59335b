/** Stands in for kubelogin: see `strict.ts`. Without a kubeconfig there is nothing to convert. */
import { join } from 'node:path';
import { fileOf, fromTest, standIn } from './strict.ts';

standIn('kubelogin', {
  'convert-kubeconfig': {
    required: ['--login'],
    refuse: () => fileOf('kubeconfig')({ kubeconfig: join(fromTest('HOME'), '.kube/config') }),
  },
});
