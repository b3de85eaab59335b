/** `poolwright init`: from what is on this machine to a configuration, a first claim or pool, and the next command. */

import { resolve } from 'node:path';
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifests as builtIn } from '../../../shared/providers/manifests.ts';
import type { Wizard } from '../../../shared/providers/wizard.ts';
import { usualFile } from '../../reach/which-file.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { configurationFindings } from '../config/configuration.ts';
import { manifestFindings } from '../config/manifests.ts';
import { type Asker, terminalAsker } from './asker.ts';
import { configurationText } from './configuration-text.ts';
import { type Context, contextsOf, credentialsFor, lookAt, valuesFromEnvironment } from './detect.ts';
import { checkFlags, givenValues, type InitOptions, type Known, wishOf } from './known.ts';
import { manifestText } from './manifest-text.ts';
import { nextSteps } from './next-steps.ts';
import { manifestNamed, nameFrom, neededValues, type Plan, refuse } from './plan.ts';
import { askContext, askRest } from './questions.ts';
import { type NewFile, present, writeFiles } from './write-files.ts';

const manifests: readonly ProviderManifest[] = builtIn;
/** What works without a cluster and without an account. */
const simulated = manifests.find((manifest) => manifest.simulated)?.type ?? '';

export async function init(options: InitOptions, terminal: Terminal, asker?: Asker): Promise<number> {
  checkFlags(options);
  const isAsked = !options.yes && !options.dryRun;
  if (isAsked && asker === undefined && !terminal.canAsk) {
    throw new UserError(
      `No terminal to ask on. Pass --yes and --provider with one of ${manifests.map(({ type }) => type).join(', ')}, and the options of that provider; poolwright init --help lists them.`,
      { code: 'NotConfirmed', exitCode: exitCodes.declined },
    );
  }
  const person = isAsked ? (asker ?? (await terminalAsker())) : undefined;
  const say = (text: string): void =>
    person === undefined ? terminal.err(`${printable(text)}\n`) : person.note(printable(text));
  const plan = await planFor(options, person, say);
  const { wizard } = await manifestNamed(plan.provider).wizard();
  const credentials = credentialsFor(wizard, process.env);
  say(
    credentials === undefined
      ? `Found no credentials for ${plan.provider}; the host needs some: see docs/providers/${plan.provider}.md.`
      : `Credentials for ${plan.provider}: ${credentials}.`,
  );
  const files = filesOf(plan, wizard, options);
  if (options.dryRun) {
    for (const { name, text } of files) terminal.out(`# ${name}\n${text}\n`);
    terminal.err('Nothing was written, because of --dry-run.\n');
    return exitCodes.done;
  }
  await mayReplace(files, options, person);
  await writeFiles(files, (nameOf) => check(files, nameOf));
  for (const { name } of files) terminal.out(`${name}\n`);
  terminal.err(
    nextSteps(
      plan,
      files.map(({ name }) => name),
    ),
  );
  return exitCodes.done;
}

async function planFor(options: InitOptions, person: Asker | undefined, say: (text: string) => void): Promise<Plan> {
  const { provider: wanted, deployment = 'local' } = options;
  const isSimulated = wanted !== undefined && manifestNamed(wanted).simulated === true;
  const context = isSimulated ? undefined : await contextFor(options, person);
  const seen = context === undefined ? { values: {}, notes: [] } : await lookAt(context, options);
  for (const note of seen.notes) say(note);
  const given = givenValues(options);
  const known: Known = {
    hasCluster: context !== undefined,
    provider: wanted ?? ('provider' in seen ? seen.provider : undefined),
    isProviderGiven: wanted !== undefined,
    given,
    values: { ...(await valuesFromEnvironment(process.env)), ...seen.values, ...given },
    wish: wishOf(options),
  };
  const rest = person === undefined ? withoutAsking(known, say) : await askRest(person, known);
  const cluster =
    context === undefined || manifestNamed(rest.provider).simulated ? {} : { cluster: clusterOf(context, options) };
  return { deployment, ...rest, ...cluster };
}

async function contextFor(options: InitOptions, person: Asker | undefined): Promise<Context | undefined> {
  const contexts = contextsOf(options);
  const { context: named } = options;
  if (named !== undefined) {
    const found = contexts.find(({ name }) => name === named);
    if (found !== undefined) return found;
    const known = contexts.map(({ name }) => name).join(', ') || 'none';
    throw new UserError(`--context: the kubeconfig has no context ${JSON.stringify(named)}; it has ${known}.`, {
      code: 'NoClusterAccess',
      exitCode: exitCodes.misused,
    });
  }
  const found = person === undefined ? contexts.find(({ isCurrent }) => isCurrent) : await askContext(person, contexts);
  if (found === undefined && options.provider !== undefined) {
    throw new UserError(
      `--provider ${options.provider} needs a cluster: pass --kubeconfig, and --context to choose a context.`,
      {
        code: 'NoClusterAccess',
      },
    );
  }
  return found;
}

/** What is still missing is told at once, by the flags that say it. */
function withoutAsking(known: Known, say: (text: string) => void): Pick<Plan, 'provider' | 'values' | 'wish'> {
  const provider = known.provider ?? simulated;
  if (!known.isProviderGiven) {
    say(
      known.provider === undefined
        ? 'No supported cloud was recognized, so this uses the simulated cloud; pass --provider to choose another one.'
        : `The cluster runs on ${provider}.`,
    );
  }
  const needed = neededValues(provider);
  refuse(
    needed
      .filter(({ field }) => known.values[field] === undefined)
      .map(({ flag, ask }) => `${flag} is required for ${provider}: ${ask.charAt(0).toLowerCase()}${ask.slice(1)}.`),
  );
  const values = {
    ...known.given,
    ...Object.fromEntries(needed.map(({ field }) => [field, known.values[field] ?? ''])),
  };
  return { provider, values, wish: known.wish ?? { kind: 'claim', name: 'first', replicas: 1 } };
}

/** The context is pinned: whoever switches to another one must not move the host. */
const clusterOf = (context: Context, { cluster, kubeconfig }: InitOptions): NonNullable<Plan['cluster']> => ({
  name: cluster ?? nameFrom(context.name),
  kubeconfig: kubeconfig === undefined ? 'default' : resolve(kubeconfig),
  context: context.name,
});

function filesOf(
  plan: Plan,
  wizard: Wizard,
  { file = usualFile, manifest = `first-${plan.wish.kind}.yaml` }: InitOptions,
): NewFile[] {
  return [
    { name: file, text: configurationText(plan, wizard) },
    { name: manifest, text: manifestText(plan, wizard.manifest(plan.values), manifest) },
  ];
}

async function mayReplace(files: readonly NewFile[], { force }: InitOptions, person: Asker | undefined): Promise<void> {
  const there = present(files);
  if (there.length === 0 || force) return;
  const [what, verb] = [there.join(' and '), there.length === 1 ? 'exists' : 'exist'];
  if (person !== undefined && (await person.confirm(`${what} already ${verb}. Replace?`))) return;
  throw new UserError(
    `${what} already ${verb}; nothing was written. Pass --force to replace, or other files with --file and --manifest.`,
    {
      code: 'FileExists',
      exitCode: exitCodes.declined,
    },
  );
}

/** What is written must be what hosts and clusters take. */
async function check(files: readonly NewFile[], nameOf: (name: string) => string): Promise<void> {
  const [configuration, manifest] = files;
  if (configuration === undefined || manifest === undefined) return;
  const findings = [
    ...(await configurationFindings(nameOf(configuration.name), process.env)),
    ...(await manifestFindings(nameOf(manifest.name))),
  ];
  if (findings.length === 0) return;
  throw new UserError(
    `Nothing was written, because the result would be invalid:\n${findings.map(({ message }) => `  ${printable(message)}`).join('\n')}`,
    { code: 'InvalidConfiguration' },
  );
}
