/** What is answered when a workflow is not started once more. */

import type { Context } from 'hono';
import { asSentence } from '../../../../shared/base/text.ts';
import type { RestartObstacle, RestartRefused } from '../../../../shared/workflow/restart.ts';
import { problem } from '../../kit/problem.ts';

const obstacles: Record<RestartObstacle, { status: 404 | 409; kind: string; more: string }> = {
  unknown: { status: 404, kind: 'unknown-workflow', more: 'An id is key/epoch; /v1/workflows lists them.' },
  running: { status: 409, kind: 'still-running', more: 'Send {"force": true} to replace it.' },
  superseded: { status: 409, kind: 'superseded', more: 'Look at that one.' },
  unregistered: { status: 409, kind: 'workflow-gone', more: 'The resync starts whatever its claim needs.' },
};

export function refuseRestart(c: Context, { obstacle, message }: RestartRefused) {
  const { status, kind, more } = obstacles[obstacle];
  return problem(c, status, kind, `${asSentence(capitalized(message))} ${more}`);
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
