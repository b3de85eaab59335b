/** Another user of the machine. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { type Attack, expectThat } from '../attack.ts';

export const openDirectory: Attack = {
  name: 'a data directory that everybody can write to',
  run: async ({ startHost, directory }) => {
    // The name that the next host gets.
    const data = directory('host-2');
    mkdirSync(data, { recursive: true });
    chmodSync(data, 0o777);
    const started = await startHost().then(
      () => true,
      () => false,
    );
    const mode = statSync(data).mode & 0o777;
    expectThat(!started, `the host uses a directory of mode ${mode.toString(8)}`);
    return 'refused';
  },
};
