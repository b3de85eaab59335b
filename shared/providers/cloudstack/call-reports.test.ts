import { expect, it } from 'vitest';
import { noReports } from '../cloud-reports.ts';
import { callReports } from './call-reports.ts';

it('counts calls by the code of CloudStack, and takes only several in a row without an answer for an outage', () => {
  const said: unknown[] = [];
  const report = callReports({
    ...noReports,
    called: (command, code) => said.push(code === undefined ? command : `${command} ${code}`),
    answers: (problem) => said.push(problem ?? 'up'),
  });
  const lost = { kind: 'unavailable', code: 'CloudStackUnreachable', message: 'no answer' } as const;

  report({ command: 'listZones' });
  report({ command: 'listZones', failure: { kind: 'insufficient-capacity', message: 'no' }, errorCode: 533 });
  for (let call = 0; call < 3; call++) report({ command: 'listZones', failure: lost });
  report({ command: 'listZones' });

  expect(said).toEqual([
    ...['listZones', 'up', 'listZones 533', 'up'],
    ...['listZones unavailable', 'listZones unavailable', 'listZones unavailable', 'no answer'],
    ...['listZones', 'up'],
  ]);
});
