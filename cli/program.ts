/** All commands, in the order in which help lists them. What a command needs is loaded when it runs: help must not wait for a host. */
import { Command } from 'commander';
import { declareAdopt } from './commands/adopt/declare.ts';
import { declareAudit } from './commands/audit/declare.ts';
import { declareBridge } from './commands/bridge/declare.ts';
import { declareClusters } from './commands/clusters/declare.ts';
import { declareCompletion } from './commands/completion/declare.ts';
import { declareConfig } from './commands/config/declare.ts';
import { declareConvert } from './commands/convert/declare.ts';
import { declareCrds } from './commands/crds/declare.ts';
import { declareDeadLetters } from './commands/dead-letters/declare.ts';
import type { Declare, Declaring } from './commands/declare.ts';
import { declareDoctor } from './commands/doctor/declare.ts';
import { declareErrors } from './commands/errors/declare.ts';
import { declareEvents } from './commands/events/declare.ts';
import { declareExplain } from './commands/explain/declare.ts';
import { declareGet } from './commands/get/declare.ts';
import { declareInit } from './commands/init/declare.ts';
import { declareLogs } from './commands/logs/declare.ts';
import { declareOfferings } from './commands/offerings/declare.ts';
import { declarePause } from './commands/pause/declare.ts';
import { declarePlan } from './commands/plan/declare.ts';
import { declareProvider } from './commands/provider/declare.ts';
import { declareDemo, declareSimulate } from './commands/simulate/declare.ts';
import { declareStart } from './commands/start/declare.ts';
import { declareTop } from './commands/top/declare.ts';
import { declareTrace } from './commands/trace/declare.ts';
import { declareVersion } from './commands/version/declare.ts';
import { declareWorkflows } from './commands/workflows/declare.ts';
import type { Terminal } from './terminal/terminal.ts';
import { version } from './version.ts';

/** Under what people look for: to begin, to look, to act, and what runs. */
const groups: Readonly<Record<string, readonly Declare[]>> = {
  'Get started:': [declareStart, declareInit, declareConfig, declareDemo],
  'Inspect:': [
    declareGet,
    declareExplain,
    declarePlan,
    declareTop,
    declareEvents,
    declareTrace,
    declareLogs,
    declareClusters,
    declareAudit,
    declareDoctor,
    declareErrors,
  ],
  'Operate:': [declarePause, declareDeadLetters, declareWorkflows, declareOfferings, declareAdopt],
  'Set up and try out:': [
    declareCrds,
    declareConvert,
    declareBridge,
    declareProvider,
    declareSimulate,
    declareCompletion,
    declareVersion,
  ],
};

export function createProgram(name: string, terminal: Terminal, run: Declaring['run']): Command {
  const program = new Command(name)
    .description('Turns Kubernetes NodeClaims into nodes, from one machine or from serverless functions.')
    .version(version)
    .option('--debug', 'show the stack trace of an error')
    .showSuggestionAfterError()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .configureHelp({ helpWidth: 100 })
    .addHelpText('after', `\nExamples:\n  ${name} demo\n  ${name} start\n  ${name} explain first`)
    .exitOverride();
  const command: Declaring['command'] = (usage, description, examples, { isDefault, under = program } = {}) =>
    under
      .command(usage, isDefault ? { isDefault } : {})
      .description(description)
      .showHelpAfterError(`See '${pathOf(under)} ${usage.split(' ')[0]} --help'.`)
      // Under kubectl the same lines begin with kubectl.
      .addHelpText('after', `\nExamples:\n${examples.replace(/^poolwright\b/gm, name).replace(/^/gm, '  ')}`);
  for (const [title, commands] of Object.entries(groups)) {
    program.commandsGroup(title);
    for (const declare of commands) declare({ program, command, run });
  }
  return program;
}

/** `poolwright offerings unavailable`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
