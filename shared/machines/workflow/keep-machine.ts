/**
 * keep-machine: one VirtualMachine, from its creation to what is wanted, through each change, to its end. It knows nothing but how to go
 * on: what is to be done is read from the object and its machine in every step, so it may begin anew at any time.
 */
import { inRounds } from './rounds.ts';

export const keepMachine = inRounds('keep-machine', 'advanceMachine');
