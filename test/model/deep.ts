/** Explores all configurations with large bounds: `node test/model/deep.ts [part of a name] [--max N]`. */
import { cases } from './configs.ts';
import { explore } from './explore.ts';
import { bitsOf, namesOf } from './properties.ts';
import { setUp } from './setup.ts';

const args = process.argv.slice(2);
const maxAt = args.indexOf('--max');
const maxStates = maxAt < 0 ? 4_000_000 : Number(args[maxAt + 1]);
const wanted = args.find((_, i) => maxAt < 0 || (i !== maxAt && i !== maxAt + 1)) ?? '';

const columns = ['states', 'transitions', 'depth', 'gone', 'ready', 'failed', 'seconds'] as const;
console.log(['configuration'.padEnd(44), ...columns.map((column) => column.padStart(11)), ' violated'].join(''));
let unexpected = false;
for (const config of cases) {
  if (!config.name.includes(wanted)) continue;
  const started = performance.now();
  const outcome = explore(setUp(config), { maxStates });
  const { states, transitions, depth, quiet, violated } = outcome;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const figures = [states, transitions, depth, quiet.gone, quiet.ready, quiet.failed, seconds];
  const other = violated & ~bitsOf(config.exceptions);
  const said = violated ? namesOf(violated).join(' ') : 'nothing';
  const remark = `${other ? ' UNEXPECTED' : violated ? ' (allowed)' : ''}${outcome.complete ? '' : ' (cut)'}`;
  console.log(
    `${config.name.padEnd(44)}${figures.map((figure) => String(figure).padStart(11)).join('')} ${said}${remark}`,
  );
  for (const name of namesOf(other)) {
    unexpected = true;
    console.log(`  ${name}:`);
    for (const [i, line] of (outcome.traces.get(name) ?? []).entries()) console.log(`    ${i + 1}. ${line}`);
  }
}
process.exitCode = unexpected ? 1 : 0;
