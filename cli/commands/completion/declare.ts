import { Argument } from 'commander';
import type { Declare } from '../declare.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export const declareCompletion: Declare = ({ program, command, run }) =>
  void command(
    'completion',
    'print a script that completes commands and options in a shell',
    `poolwright completion bash > /etc/bash_completion.d/poolwright
poolwright completion zsh > "\${fpath[1]}/_poolwright"
poolwright completion fish > ~/.config/fish/completions/poolwright.fish`,
  )
    .addArgument(new Argument('<shell>').choices([...shells]))
    .action((shell: Shell) =>
      run(async (terminal) => {
        const { completionScript } = await import('./script.ts');
        terminal.out(completionScript(program, shell));
        return 0;
      }),
    );
