/**
 * beginCreate: take the right to write (rule 1), then call the provider at once, within T. The order below is the order of
 * every read and write. Only `grant` and `call` spend: a gate that stops has asked the cloud for nothing.
 */

import type { ActivityContext } from '../../../../workflow/contract.ts';
import type { BeginCreateInput, BeginCreateResult } from '../../../steps/answers.ts';
import type { LifecycleServices } from '../../../steps/services.ts';
import { call } from './call.ts';
import { claim } from './claim.ts';
import { gatesFrom, isStop } from './gates.ts';
import { grant } from './grant.ts';
import { judge } from './judge.ts';
import { nodeClass } from './node-class.ts';
import { pause } from './pause.ts';
import { restored } from './restored.ts';
import { room } from './room.ts';
import { turn } from './turn.ts';
import { elsewhere, location, place } from './where.ts';

const create = gatesFrom(place)
  .and(claim)
  .and(elsewhere)
  .and(location)
  .and(pause)
  .and(nodeClass)
  .and(turn)
  .and(restored)
  .and(room)
  .and(grant)
  .and(call);

export const beginCreate =
  (services: LifecycleServices) =>
  async (input: BeginCreateInput, context: ActivityContext): Promise<BeginCreateResult> => {
    const reached = await create.pass({ services, input, context });
    return isStop(reached) ? reached.stop : await judge(reached);
  };
