/** Completion scripts, from the commands as they are declared. They contain all words, so that no key press starts a process. */
import type { Command } from 'commander';
import { kindWords } from '../../reach/target.ts';
import type { Shell } from './declare.ts';

interface Node {
  /** `deadletters list`; empty for the program itself. */
  path: string;
  commands: { name: string; description: string }[];
  options: { flag: string; description: string }[];
  /** What may be written where no option stands. */
  words: string[];
}

/** Kinds that a command takes as its first word. */
const kindsOf: Readonly<Record<string, readonly string[]>> = {
  get: kindWords(['claim', 'node', 'pool', 'nodeclass', 'offering', 'provider', 'workflow', 'deadletter'], 'plural'),
  explain: kindWords(['claim', 'node', 'pool', 'nodeclass', 'event'], 'singular').map((kind) => `${kind}/`),
};

export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesOf(program, '');
  if (shell === 'fish') return fish(nodes);
  const script = bash(nodes);
  return shell === 'zsh' ? `#compdef poolwright\nautoload -U +X bashcompinit && bashcompinit\n${script}` : script;
}

function nodesOf(command: Command, path: string): Node[] {
  const shown = command.commands.filter((one) => one.name() !== 'help');
  const node: Node = {
    path,
    commands: shown.map((one) => ({ name: one.name(), description: one.description() })),
    options: command.options
      .flatMap(({ long, description }) => (long ? [{ flag: long, description }] : []))
      .concat({ flag: '--help', description: 'display help' }),
    words: [...(kindsOf[path] ?? []), ...(command.registeredArguments[0]?.argChoices ?? [])],
  };
  return [node, ...shown.flatMap((one) => nodesOf(one, path === '' ? one.name() : `${path} ${one.name()}`))];
}

function bash(nodes: readonly Node[]): string {
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]));
  const cases = nodes.map(({ path, commands, options, words }) => {
    const all = [...commands.map(({ name }) => name), ...words, ...options.map(({ flag }) => flag)];
    return `    "${path}") words="${all.join(' ')}" ;;`;
  });
  return `# Completion of poolwright in bash.
_poolwright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word next index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    next="\${path:+$path }$word"
    case "$next" in
      ${paths.join(' | ')}) path="$next" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ "\${COMPREPLY[0]}" == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _poolwright poolwright
`;
}

function fish(nodes: readonly Node[]): string {
  const lines = ['# Completion of poolwright in fish.', 'complete -c poolwright -f'];
  for (const { path, commands, options, words } of nodes) {
    const names = path === '' ? [] : path.split(' ');
    const under = commands.map(({ name }) => name).join(' ');
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const here = [...(path === '' ? ['__fish_use_subcommand'] : seen)];
    const before = [...here, ...(path !== '' && under !== '' ? [`not __fish_seen_subcommand_from ${under}`] : [])];
    const add = (conditions: readonly string[], rest: string): void =>
      void lines.push(`complete -c poolwright -n ${quoted(conditions.join('; and '))} ${rest}`);
    for (const { name, description } of commands) add(before, `-a ${name} -d ${quoted(description)}`);
    for (const word of words) add(here, `-a ${word}`);
    for (const { flag, description } of options) add(here, `-l ${flag.slice(2)} -d ${quoted(description)}`);
  }
  return `${lines.join('\n')}\n`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
