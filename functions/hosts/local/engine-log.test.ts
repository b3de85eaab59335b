import { expect, it } from 'vitest';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { engineLog } from './engine-log.ts';

it('what people alert on has its id, and names the workflow, its cluster and its claim', () => {
  const log = collectingLog();
  const workflowId = 'production/uid-1/launch/7';
  engineLog(log).error({ workflow: 'launch', workflowId, reason: 'killed three times' }, 'workflow set aside');
  engineLog(log).error({ kind: 'full', file: 'journal.db' }, 'the journal is unusable');
  expect(log.lines).toMatchObject([
    {
      event: 'workflow.set-aside',
      fields: { workflow: workflowId, cluster: 'production', uid: 'uid-1', kind: 'launch' },
    },
    { event: 'workflow.journal-unusable', fields: { kind: 'full', file: 'journal.db' } },
  ]);
});
