/** Before any test: what tests need beyond the project's own packages, so that no test waits for an installation. */
import { installExtra } from '../../scripts/extra-packages.ts';

export default async function setup(): Promise<void> {
  await installExtra('scripts/check');
  await installExtra('test/peers');
  await installExtra('scripts/osls');
}
