/** Before any test: the first installation takes longer than a test may, and without Python the run fails here, with what to do. */
import { getPythonParts } from './python-parts.ts';

export default async function setup(): Promise<void> {
  await getPythonParts();
}
