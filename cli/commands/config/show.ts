/** `poolwright config show`: what a configuration comes to, with everything filled in and nothing secret. */
import { loadConfig } from '../../../shared/config/load.ts';
import { configFile } from '../../reach/which-file.ts';
import { withoutSecrets } from '../../terminal/output/without-secrets.ts';
import type { Output } from '../../terminal/terminal.ts';
import { UserError } from '../../terminal/user-error.ts';

export async function show(named: string | undefined, options: { output: string }, output: Output): Promise<number> {
  const file = configFile(named);
  const loaded = loadConfig(file, process.env);
  if (!loaded.ok) throw new UserError(loaded.text, { code: 'InvalidConfiguration' });
  if (file === undefined)
    output.err(
      'No file was passed and there is no poolwright.yaml in this directory: showing only environment and defaults.\n',
    );
  const shown = withoutSecrets(loaded.config);
  if (options.output === 'json') output.out(`${JSON.stringify(shown, null, 2)}\n`);
  else output.out((await import('yaml')).stringify(shown, { lineWidth: 0 }));
  return 0;
}
