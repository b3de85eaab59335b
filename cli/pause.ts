/** `poolwright pause` and `poolwright resume`. */
import { type HostAddress, withHostApi } from './host-api.ts';
import type { Output } from './main.ts';

export interface PauseOptions extends HostAddress {
  why?: string;
  json?: boolean;
}

interface Target {
  kind: string;
  name: string;
}

const pathOf = ({ kind, name }: Target): string => `/v1/pauses/${kind}/${encodeURIComponent(name)}`;

export async function pause(target: Target, options: PauseOptions, output: Output): Promise<number> {
  const body = options.why === undefined ? {} : { why: options.why };
  const answer = await withHostApi(options, (api) => api.ask<object>('PUT', pathOf(target), { body }));
  const { kind, name } = target;
  output.out(
    options.json
      ? `${JSON.stringify(answer)}\n`
      : `${kind} ${name} is paused: nothing new is bought there. What is being deleted goes on.\n` +
          `Lift it with 'poolwright resume ${kind} ${name}'.\n`,
  );
  return 0;
}

export async function resume(target: Target, options: PauseOptions, output: Output): Promise<number> {
  const answer = await withHostApi(options, (api) =>
    api.ask<{ lifted: boolean; stillPaused?: string }>('DELETE', pathOf(target)),
  );
  const { kind, name } = target;
  const { lifted, stillPaused } = answer;
  if (options.json) output.out(`${JSON.stringify(answer)}\n`);
  else if (lifted) output.out(`The pause of ${kind} ${name} is lifted.\n`);
  else output.out(`${kind} ${name} had no pause that was set by a command.\n`);
  if (stillPaused === undefined) return 0;
  output.err(`${stillPaused}. Change it there and start the host again.\n`);
  return 1;
}
