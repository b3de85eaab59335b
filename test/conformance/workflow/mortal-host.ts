/**
 * A process that runs workflows on a journal until they are done, or until it is killed. Each effect is one line. After so many it
 * waits for the kill, so that it can't be done before whoever kills it has had a turn.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../shared/base/runtime.ts';
import { openSqliteEngine } from '../../../shared/workflow/sqlite/engine.ts';
import { openJournal } from '../../../shared/workflow/sqlite/schema.ts';
import { all, call, defineWorkflow } from '../../../shared/workflow/vocabulary.ts';

const [journal = '', effects = '', instances = '0', count = '0', most = '0'] = process.argv.slice(2);
let done = 0;
const quiet = () => undefined;

const errand = defineWorkflow({
  name: 'errand',
  version: 1,
  *run(input: { steps: number }) {
    let sum = 0;
    for (let step = 0; step < input.steps; step++) sum += yield* call<number>('effect', { step });
    const both = yield* all([call<number>('effect', { step: 100 }), call<number>('effect', { step: 101 })]);
    return sum + both.reduce((total, one) => total + (one.ok ? one.value : 0), 0);
  },
});

const engine = openSqliteEngine({
  database: openJournal(journal),
  workflows: [errand],
  activities: {
    effect: async (input: { step: number }, { workflowId }) => {
      if (++done > Number(most)) await pause(600_000);
      appendFileSync(effects, `${workflowId} ${input.step}\n`);
      process.stdout.write('.');
      return input.step;
    },
  },
  clock: systemClock,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  metrics: { workflowEnded: () => void finishWhenAllEnded() },
  limits: { concurrency: 4 },
});

async function finishWhenAllEnded(): Promise<void> {
  const running = engine.stats().byWorkflow.errand?.running ?? 0;
  if (running > 0) return;
  await engine.stop();
  process.exit(0);
}

engine.run();
await Promise.all(
  Array.from({ length: Number(instances) }, (_, n) =>
    // Ended ones are not started again: this process only makes sure that every errand was begun once.
    engine.latest(`errand-${n}`).then((there) =>
      there
        ? undefined
        : engine.ensure({
            workflow: errand,
            key: `errand-${n}`,
            input: { steps: Number(count) },
            group: `g${n % 2}`,
          }),
    ),
  ),
);
await finishWhenAllEnded();
